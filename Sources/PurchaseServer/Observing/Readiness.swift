import PurchaseLedger
import StoreModel

/// Whether the ledger can be read, and takes writes, found out by doing both.
///
/// However often it is asked, one write at a time is under way, and the next begins a second after it has ended; all who
/// ask meanwhile share its outcome. So probes hold one connection of the ledger at most, also while no write ends.
actor Readiness {
  private let ledger: Ledger
  private let clock: any MachineClock
  private var latest: (end: Int64?, outcome: Task<Void, any Error>)?

  private static let lifetimeNanoseconds: Int64 = 1_000_000_000

  init(ledger: Ledger, clock: any MachineClock) {
    self.ledger = ledger
    self.clock = clock
  }

  /// Returns if a purchase could be recorded now.
  ///
  /// - Throws: what the ledger threw.
  func check() async throws {
    if let latest, latest.end.map({ clock.nanoseconds - $0 < Self.lifetimeNanoseconds }) ?? true {
      return try await latest.outcome.value
    }
    let outcome = Task { [ledger] in
      defer { ended() }
      _ = try await ledger.anchors()
      try await ledger.proveWritable()
    }
    latest = (nil, outcome)
    try await outcome.value
  }

  private func ended() { latest?.end = clock.nanoseconds }
}
