import Foundation

/// Something that happens between machines, whose commit points are to be found and cut at. A later journey plugs in
/// by conforming.
protocol Journey: Sendable {
  associatedtype Play: JourneyPlay

  /// For messages.
  var name: String { get }

  /// What each play's folder holds at its beginning is made here once, and copied: it counts as durable. Each party has the
  /// folder of its name in it as its disk.
  func prepare(in folder: URL) async throws

  /// One more play of it.
  func play(on stage: Stage) -> Play
}

/// A journey being played once.
///
/// Every method but `check` may be broken off at any moment by ``PartyEnded``, which it passes on.
protocol JourneyPlay {
  /// In the order in which they are started.
  var parties: [Party] { get }

  /// Starts a party, for the first time or again.
  func start(_ party: Party) async throws

  /// The whole story, as if nothing could go wrong, to the orderly end of all parties.
  func play() async throws

  /// After an interruption, with all parties running: goes on as a customer would, until nothing is left to be done.
  func settle() async throws

  /// What is durable on the disk of a party that has just been interrupted, in a few words; nil where nobody wants to know.
  func landmark(of party: Party) throws -> String?

  /// Reads what is on the disks, once all parties have ended.
  ///
  /// - Returns: what is wrong, in words.
  func check() async throws -> [String]
}

extension JourneyPlay {
  func landmark(of party: Party) throws -> String? { nil }
}
