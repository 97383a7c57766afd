import PurchaseLedger
import StoreModel

/// Checks whether the ledger can be read and written, by doing both.
///
/// At most one check runs at a time. Its result is used for all callers until one second after the check has ended. So
/// health probes use at most one connection to the ledger, even if a write does not end.
actor Readiness {
  private let ledger: Ledger
  private let clock: any MachineClock
  private var latest: (end: Int64?, outcome: Task<Void, any Error>)?

  private static let lifetimeNanoseconds: Int64 = 1_000_000_000

  init(ledger: Ledger, clock: any MachineClock) {
    self.ledger = ledger
    self.clock = clock
  }

  /// The name of the ledger's database system.
  nonisolated var databaseSystem: String { ledger.databaseSystem }

  /// Returns without an error if a purchase could be recorded now.
  ///
  /// - Throws: the error of the ledger.
  func check() async throws {
    if let latest, latest.end.map({ clock.nanoseconds - $0 < Self.lifetimeNanoseconds }) ?? true {
      return try await latest.outcome.value
    }
    let outcome = Task { [ledger] in
      defer { ended() }
      _ = try await ledger.anchors()
      try await ledger.checkWritable()
    }
    latest = (nil, outcome)
    try await outcome.value
  }

  private func ended() { latest?.end = clock.nanoseconds }
}

/// Whether the server is about to stop, and the anchors of its ledger.
final class ServiceStatus: Sendable {
  let anchors: [String]
  private let stopping = LockedValue(false)

  init(anchors: [String]) { self.anchors = anchors }

  var isStopping: Bool {
    get { stopping.value }
    set { stopping.value = newValue }
  }
}
