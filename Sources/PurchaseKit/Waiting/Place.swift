import Foundation

/// A place among the few that go on at a time, which is given back while there is nothing to do but wait: whoever waits for the
/// network must not keep others from what they could do without it.
///
/// Used by one task at a time.
final class Place: @unchecked Sendable {
  private let places: Places
  private let isUrgent: Bool
  private var isTaken = false

  /// - Parameter isUrgent: whether to go before those who wait for a place already.
  init(_ places: Places, isUrgent: Bool = false) {
    self.places = places
    self.isUrgent = isUrgent
  }

  /// Returns when there is a place.
  ///
  /// - Throws: `CancellationError`.
  func take() async throws {
    guard !isTaken else { return }
    try await places.enter(isUrgent: isUrgent)
    isTaken = true
  }

  func giveBack() {
    guard isTaken else { return }
    isTaken = false
    places.leave()
  }

  /// Waits, and takes a place again. Where `wait` throws, there is none.
  func without<Value>(_ wait: () async throws -> Value) async throws -> Value {
    let wasTaken = isTaken
    giveBack()
    let value = try await wait()
    if wasTaken { try await take() }
    return value
  }
}
