import Crypto
import Foundation
import SignedData
import StoreModel

/// Which purchase is whose, what it gave, what was spent and what was taken back. Documentation/purchase-ledger.md
/// says what always holds.
///
/// ```swift
/// let ledger = try await Ledger(
///   database: SQLiteLedgerDatabase(at: file), anchors: .apple, apps: ["com.example.game": LedgerSettings()])
/// let redemption = try await ledger.redeem(proof, .purchases([.init(transactionID: id)]), for: bearer)
/// ```
///
/// Everything that writes may be repeated: what was done is found, and answered again.
public final class Ledger: Sendable {
  let database: any LedgerDatabase
  let apps: [BundleID: LedgerSettings]
  let clock: any MachineClock
  let makeUUID: @Sendable () -> UUID

  /// Opens a ledger; the first time, stamps it with its trust anchors.
  ///
  /// - Parameters:
  ///   - database: where it is kept.
  ///   - anchors: of the stores whose proofs are redeemed here.
  ///   - apps: the apps it serves.
  ///   - clock: the date of what is written here, and what decides whether access has run out.
  ///   - makeUUID: makes the ids of customers and deliveries.
  /// - Throws: ``LedgerError/otherAnchors(stamped:given:)``; ``LedgerDatabaseError``.
  public init(
    database: any LedgerDatabase, anchors: TrustAnchors, apps: [BundleID: LedgerSettings],
    clock: any MachineClock = SystemClock(), makeUUID: @escaping @Sendable () -> UUID = { UUID() }
  ) async throws {
    self.database = database
    self.apps = apps
    self.clock = clock
    self.makeUUID = makeUUID
    let stamp = anchors.stamp
    let (now, incarnation) = (clock.now, makeUUID().uuidString.lowercased())
    let stamped = try await database.write(locking: []) { transaction in
      try transaction.execute(
        "INSERT INTO ledger_fact (name, value) VALUES ('anchors', $1) ON CONFLICT DO NOTHING", stamp)
      try transaction.execute(
        "INSERT INTO ledger_fact (name, value) VALUES ('created', $1) ON CONFLICT DO NOTHING", now.description)
      // It is missing in a new ledger, and in one that was restored from a backup.
      try transaction.execute(
        "INSERT INTO ledger_fact (name, value) VALUES ('incarnation', $1) ON CONFLICT DO NOTHING", incarnation)
      return try transaction.row("SELECT value FROM ledger_fact WHERE name = 'anchors'")?.text("value")
    }
    guard stamped == stamp else { throw LedgerError.otherAnchors(stamped: stamped ?? "none", given: stamp) }
  }

  /// The fingerprints of the roots it was stamped with, as it says in `ledger_fact`.
  public func anchors() async throws -> String {
    try await database.read { transaction in
      try transaction.row("SELECT value FROM ledger_fact WHERE name = 'anchors'")?.text("value") ?? ""
    }
  }

  /// - Throws: ``LedgerError/unknownApp(_:)`` unless it serves `app`.
  public func check(_ app: BundleID) throws(LedgerError) { _ = try settings(of: app) }

  func settings(of app: BundleID) throws(LedgerError) -> LedgerSettings {
    guard let settings = apps[app] else { throw .unknownApp(app) }
    return settings
  }
}

extension TrustAnchors {
  /// The fingerprints of all roots, in one order.
  fileprivate var stamp: String {
    let roots = fingerprints.union(selfSignedFingerprints).union(certificates.map { SHA256Fingerprint(of: $0) })
    return roots.map(\.description).sorted().joined(separator: " ")
  }
}
