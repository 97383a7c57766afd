import Crypto
import Foundation
import SignedData
import StoreModel

/// The record of all purchases of an app's customers: who owns each purchase, what it gave, which credits were spent, and
/// what was refunded. Documentation/purchase-ledger.md lists its invariants.
///
/// ```swift
/// let ledger = try await Ledger(
///   database: SQLiteLedgerDatabase(at: file), anchors: .apple, apps: ["com.example.game": LedgerSettings()])
/// let redemption = try await ledger.redeem(proof, .purchases([.init(transactionID: id)]), for: bearer)
/// ```
///
/// Redemptions, spends and grants are idempotent: a repeated call changes nothing and returns the same result.
public final class Ledger: Sendable {
  let database: any LedgerDatabase
  let apps: [BundleID: LedgerSettings]
  let clock: any MachineClock
  private let accessClock: any MachineClock
  let makeUUID: @Sendable () -> UUID
  /// Lets one export at a time read a page.
  let exportTurns = KeyedTurns<ExportTurn>()
  /// One customer's redemptions of several transactions run one after the other, so that they neither hold all connections nor
  /// fill the queue of writes.
  let largeRedemptions = KeyedTurns<CustomerID>()

  /// Counts the requests for information about consumption that this ledger object has recorded or an operator has answered.
  package let consumptionChanges: ChangeSignal
  /// Counts what a sender of webhooks has to know of this ledger object: new messages, changed webhooks, settled attempts.
  package let webhookChanges: ChangeSignal

  /// Opens a ledger. The first opening stores the fingerprints of the trust anchors; later openings require the same
  /// anchors. Each opening schedules passes that a stopped server has not scheduled.
  ///
  /// - Parameters:
  ///   - database: the ledger's database.
  ///   - anchors: the trust anchors of the stores whose proofs are redeemed here.
  ///   - apps: the apps of this ledger, with their settings.
  ///   - clock: the source of all stored dates.
  ///   - accessClock: decides whether access has expired, and whether a proof is newer than an installation. Pass the store's
  ///     clock if it differs from `clock`; nil for `clock`.
  ///   - makeUUID: creates the ids of customers and deliveries.
  /// - Throws: ``LedgerError/otherAnchors(stamped:given:)``; ``LedgerDatabaseError``.
  public init(
    database: any LedgerDatabase, anchors: TrustAnchors, apps: [BundleID: LedgerSettings],
    clock: any MachineClock = SystemClock(), accessClock: (any MachineClock)? = nil,
    makeUUID: @escaping @Sendable () -> UUID = { UUID() }
  ) async throws {
    self.database = database
    self.apps = apps
    self.clock = clock
    self.accessClock = accessClock ?? clock
    self.makeUUID = makeUUID
    consumptionChanges = ChangeSignal(machine: clock)
    webhookChanges = ChangeSignal(machine: clock)
    let stamp = anchors.stamp
    let (now, incarnation) = (clock.now, makeUUID().uuidString.lowercased())
    let generation = newGenerationID()
    let stamped = try await database.write(locking: []) { transaction in
      try transaction.execute(
        "INSERT INTO ledger_fact (name, value) VALUES ('anchors', $1) ON CONFLICT DO NOTHING", stamp)
      try transaction.execute(
        "INSERT INTO ledger_fact (name, value) VALUES ('created', $1) ON CONFLICT DO NOTHING", now.description)
      // A new ledger has no incarnation yet. A backup has none either, because `backUp(to:)` deletes it.
      try transaction.execute(
        "INSERT INTO ledger_fact (name, value) VALUES ('incarnation', $1) ON CONFLICT DO NOTHING", incarnation)
      try transaction.beginGenerationIfNeeded(id: generation, now)
      return try transaction.row("SELECT value FROM ledger_fact WHERE name = 'anchors'")?.text("value")
    }
    guard stamped == stamp else { throw LedgerError.otherAnchors(stamped: stamped ?? "none", given: stamp) }
    try await scheduleAllPasses()
  }

  /// Returns a random id for a generation of events.
  func newGenerationID() -> String { String(makeUUID().uuidString.lowercased().replacing("-", with: "").suffix(16)) }

  /// Returns the fingerprints of the roots that the ledger was created with, as stored in `ledger_fact`.
  public func anchors() async throws -> String {
    try await database.read { transaction in
      try transaction.row("SELECT value FROM ledger_fact WHERE name = 'anchors'")?.text("value") ?? ""
    }
  }

  /// The current date of the store's clock, which decides whether access has expired.
  public var now: StoreDate { accessClock.now }

  /// Checks that an app is configured in this ledger.
  ///
  /// - Throws: ``LedgerError/unknownApp(_:)``.
  public func check(_ app: BundleID) throws(LedgerError) { _ = try settings(of: app) }

  /// The apps of this ledger, in the order of their ids.
  public var bundleIDs: [BundleID] { apps.keys.sorted { $0.rawValue < $1.rawValue } }

  func settings(of app: BundleID) throws(LedgerError) -> LedgerSettings {
    guard let settings = apps[app] else { throw .unknownApp(app) }
    return settings
  }
}

extension TrustAnchors {
  /// The fingerprints of all roots, sorted.
  fileprivate var stamp: String {
    let roots = fingerprints.union(selfSignedFingerprints).union(certificates.map { SHA256Fingerprint(of: $0) })
    return roots.map(\.description).sorted().joined(separator: " ")
  }
}

/// The key of ``Ledger/exportTurns``. There is one, so one page at a time is read for all exports of a server. Other
/// requests wait for at most one page, and exports use at most one connection and one processor.
enum ExportTurn: Hashable, Sendable {
  case page
}
