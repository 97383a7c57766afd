import Foundation
import SharedFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseLedger
@testable import PurchaseServer

/// Random histories of three customers whose notifications are lost, doubled and out of order. After the history was read, the
/// ledger must be equal to the store.
///
/// `NOTIFIED_STEPS` is the number of steps of each history (`make prove`: 400), `NOTIFIED_SEED` the first seed. With
/// `NOTIFIED_PRINT`, the numbers are printed.
@Suite(
  "The ledger ends equal to the store", .serialized, .timeLimit(.minutes(NotifiedSettings.isLong ? 240 : 30)))
struct NotifiedHistoryTests {
  @Test("whatever is lost, doubled or out of order", arguments: LedgerDatabaseKind.allCases)
  func histories(kind: LedgerDatabaseKind) async throws {
    var notified: Set<String> = []
    for seed in NotifiedSettings.seeds {
      try await kind.withDatabase { database in
        var history = try await NotifiedHistory(seed: seed, on: database)
        var problems: [String] = []
        for _ in 0..<NotifiedSettings.steps where problems.isEmpty {
          try await history.step()
        }
        await history.readHistory()
        problems = try await LedgerComparison(history).problems()
        // A purchase that nobody had claimed was recorded, too: its claim finds the status.
        try await history.redeemAll()
        problems += try await LedgerComparison(history).problems().map { "after all redemptions: \($0)" }
        notified.formUnion(try await history.notifiedTypes())
        if !problems.isEmpty {
          Issue.record("seed \(seed) on \(kind):\n\(problems.prefix(20).joined(separator: "\n"))")
        }
        if NotifiedSettings.prints { print(kind, seed, history.counts.sorted { $0.key < $1.key }) }
        try history.store.close()
      }
    }
    let missing = Self.types.subtracting(notified)
    // A short history need not have all.
    #expect(missing.count <= (NotifiedSettings.isLong ? 0 : 4), "No history has: \(missing.sorted())")
  }

  /// The types and subtypes that long histories must contain together.
  private static let types: Set<String> = [
    "ONE_TIME_CHARGE", "SUBSCRIBED INITIAL_BUY", "DID_RENEW", "DID_FAIL_TO_RENEW GRACE_PERIOD",
    "DID_CHANGE_RENEWAL_PREF UPGRADE", "DID_CHANGE_RENEWAL_PREF DOWNGRADE", "REFUND", "REFUND_REVERSED", "REVOKE",
  ]
}

private enum NotifiedSettings {
  private static let environment = ProcessInfo.processInfo.environment
  static let isLong = environment["NOTIFIED_STEPS"] != nil
  static let steps = environment["NOTIFIED_STEPS"].flatMap { Int($0) } ?? 60
  static let prints = environment["NOTIFIED_PRINT"] != nil
  static let seeds: Range<UInt64> = {
    let first = environment["NOTIFIED_SEED"].flatMap { UInt64($0) } ?? 1
    return first..<first + (isLong ? 5 : 1)
  }()
}

/// Compares a ledger with the records of the store. It uses neither the ledger's rules nor notifications.
private struct LedgerComparison {
  private let history: NotifiedHistory
  private var found: [String] = []

  init(_ history: NotifiedHistory) { self.history = history }

  func problems() async throws -> [String] {
    var comparison = self
    let now = try await history.store.clockReading().now
    for person in NotifiedHistory.Person.all { try await comparison.compare(person, now) }
    try await comparison.compareNotifications()
    return comparison.found
  }

  private mutating func expect<Value: Equatable>(_ what: String, _ ledger: Value, _ store: Value) {
    if ledger != store { found.append("\(what): the ledger has \(ledger), the store \(store)") }
  }

  private mutating func compare(_ person: NotifiedHistory.Person, _ now: StoreDate) async throws {
    guard let customer = history.claimants[person]?.customer else { return }
    let stored = try await history.transactions(of: person)
    // Also of purchases that nobody has claimed. A family member's share has no notification until it is revoked.
    for transaction in stored where transaction.sharedTransactionID == nil {
      try await compareStatus(of: transaction.record)
    }
    let ledger = history.ledger
    let claims = try await ledger.database.read { try $0.claims(of: customer, limit: 10_000) }
    let held = try await ledger.entitlements(of: customer, app: NotifiedHistory.app)
    var taken: Int64 = 0
    for claim in claims {
      let isRenewable = claim.type == .autoRenewableSubscription
      let periods = stored.filter {
        (isRenewable ? $0.record.originalTransactionID : $0.record.transactionID) == claim.key.id
      }
      let entitlement = held.first { $0.source == claim.source && $0.ended == nil }
      guard let last = periods.last else {
        found.append("\(claim.key.id): the store has no such purchase")
        continue
      }
      for period in periods { try await compare(period.record, claim) }
      if isRenewable {
        try await compare(claim, last, entitlement, now)
        continue
      }
      let record = last.record
      let percentage = record.revocationDate == nil ? 0 : Int64(record.revocationPercentage ?? 100_000)
      expect("\(claim.key.id) credits taken", claim.taken, claim.given * percentage / 100_000)
      taken += claim.given - claim.taken
      if claim.type.lasts {
        expect("\(claim.key.id) \(record.productID) held", entitlement != nil, record.revocationDate == nil)
      }
    }
    let balance = try await ledger.creditBalances(of: customer, app: NotifiedHistory.app).credits.first?.balance
    expect("\(person.name)'s balance", balance ?? 0, taken)
    expect("\(person.name)'s claims", Set(claims.map(\.key.environment)).subtracting([person.environment]).count, 0)
  }

  /// Whether and how much a transaction was refunded.
  private mutating func compareStatus(of record: TransactionRecord) async throws {
    let key = PurchaseKey(app: NotifiedHistory.app, environment: record.environment, id: record.transactionID)
    let status = try await history.ledger.database.read { transaction in
      try transaction.row(
        "SELECT revoked, percentage FROM statement WHERE app = $1 AND environment = $2 AND id = $3", key.app,
        key.environment, key.id
      ).map { [try $0.integer("revoked"), try $0.integer("percentage")] }
    }
    let percentage = record.revocationDate == nil ? 0 : Int64(record.revocationPercentage ?? 100_000)
    expect("\(record.transactionID) \(record.productID) status", status, [percentage > 0 ? 1 : 0, percentage])
  }

  /// A claimed transaction: whether and how much it was refunded, and the end of a period.
  private mutating func compare(_ record: TransactionRecord, _ claim: Claim) async throws {
    try await compareStatus(of: record)
    let key = PurchaseKey(app: claim.key.app, environment: claim.key.environment, id: record.transactionID)
    let end = try await history.ledger.database.read { transaction in
      try transaction.row(
        "SELECT access_until FROM claim_period WHERE app = $1 AND environment = $2 AND id = $3", key.app,
        key.environment, key.id
      )?.date("access_until")
    }
    // No notification says that an upgrade has ended a period.
    if claim.type == .autoRenewableSubscription, !record.isUpgraded {
      expect("\(record.transactionID) end", end, record.expiresDate)
    }
  }

  /// A subscription: plan, access, and how it renews.
  private mutating func compare(
    _ claim: Claim, _ last: StoredTransaction, _ entitlement: LedgerEntitlement?, _ now: StoreDate
  ) async throws {
    let id = claim.key.id
    let hasAccess = entitlement?.isActive(at: now) ?? false
    guard last.sharedTransactionID == nil else {
      // The store does not notify about a grace period of the purchaser's subscription.
      if last.record.revocationDate != nil || last.record.expiresDate.map({ $0 > now }) == true {
        expect("share \(id) access", hasAccess, last.record.revocationDate == nil)
      }
      return
    }
    let store = try await history.store.subscription(id)
    expect("\(id) access", hasAccess, [.active, .gracePeriod].contains(store.state))
    if hasAccess {
      expect("\(id) plan", claim.product, store.productID)
      expect("\(id) access until", entitlement?.accessUntil, store.accessEnd)
    }
    let row = try await history.ledger.database.read { transaction in
      try transaction.row(
        """
        SELECT period, product, auto_renew, billing_retry, grace_until, expiration_intent FROM subscription_renewal
        WHERE app = $1 AND environment = $2 AND claim = $3
        """, claim.key.app, claim.key.environment, id)
    }
    guard let row else {
      found.append("\(id): no renewal")
      return
    }
    expect("\(id) last period", try row.text("period"), store.currentTransactionID.rawValue)
    expect("\(id) next product", try row.text("product"), store.renewalProductID.rawValue)
    expect("\(id) renews", try row.flag("auto_renew"), store.isAutoRenewOn)
    expect("\(id) retry", try row.flag("billing_retry"), [.gracePeriod, .billingRetry].contains(store.state))
    if store.state != .billingRetry { expect("\(id) grace", try row.optionalDate("grace_until"), store.gracePeriodEnd) }
    expect(
      "\(id) intent", try row.optionalInteger("expiration_intent"), store.expirationReason.map { Int64($0.rawValue) })
  }

  /// Every notification that the store still has is in the ledger, and none is set aside.
  private mutating func compareNotifications() async throws {
    var filter = NotificationFilter()
    (filter.after, filter.limit) = (0, 100_000)
    let sent = try await history.store.notifications(filter).notifications.map(\.uuid)
    let rows = try await history.ledger.database.read { transaction in
      try transaction.rows("SELECT uuid, state FROM notification").map { (try $0.text("uuid"), try $0.text("state")) }
    }
    let missing = Set(sent).subtracting(rows.map(\.0))
    if !missing.isEmpty { found.append("the ledger lacks notifications: \(missing.sorted().prefix(5))") }
    expect("notifications that are set aside", rows.filter { $0.1 != "recorded" }.count, 0)
  }
}
