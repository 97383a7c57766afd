import PurchaseLedger

/// Whether the ledger can be read, and takes writes, found out by doing both.
///
/// However often it is asked, there is at most one write a second; all who ask meanwhile share its outcome.
actor Readiness {
  private let ledger: Ledger
  private let nanoseconds: @Sendable () -> Int64
  private var latest: (at: Int64, outcome: Task<Void, any Error>)?

  private static let lifetimeNanoseconds: Int64 = 1_000_000_000

  /// - Parameter nanoseconds: a clock that never goes back.
  init(ledger: Ledger, nanoseconds: @escaping @Sendable () -> Int64) {
    self.ledger = ledger
    self.nanoseconds = nanoseconds
  }

  /// Returns if a purchase could be recorded now.
  ///
  /// - Throws: what the ledger threw.
  func check() async throws {
    _ = try await ledger.anchors()
    let now = nanoseconds()
    if let latest, now - latest.at < Self.lifetimeNanoseconds { return try await latest.outcome.value }
    let outcome = Task { [ledger] in try await ledger.proveWritable() }
    latest = (now, outcome)
    try await outcome.value
  }
}
