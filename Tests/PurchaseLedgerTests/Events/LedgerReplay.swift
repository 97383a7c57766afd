import Foundation
import StoreModel

@testable import PurchaseLedger

/// The records of a ledger, rebuilt from its events alone. It uses none of the ledger's rules: it reads the members of the events,
/// as a team's backend does.
struct LedgerReplay {
  /// The rebuilt rows of each table, by their keys.
  private(set) var tables: [String: [String: String]] = [:]
  /// The number of events of each type.
  private(set) var counts: [String: Int] = [:]
  /// Problems within the events.
  private(set) var problems: [String] = []

  private var claims: [String: Claim] = [:]
  private var balances: [String: (balance: Int64, movements: Int64)] = [:]
  private var entitlements: [String: [String: Any]] = [:]

  private struct Claim {
    var customer: String
    var product: String
    var ownership: String?
    let type: String
    let quantity: Int64
    let unit: String?
    let given: Int64
    var taken: Int64 = 0
    var shortfall: Int64 = 0
  }

  /// Reads all events, in pages of `limit`. In PostgreSQL, it waits until no transaction of another test holds them back: tests share
  /// a server, and so its transaction ids.
  static func events(of ledger: Ledger, limit: Int = 1_000, app: BundleID? = nil) async throws -> [LedgerEvent] {
    var events: [LedgerEvent] = []
    var cursor: LedgerEventCursor?
    while true {
      let isHeldBack = try await isHeldBack(ledger)
      let page = try await ledger.events(after: cursor, limit: limit, app: app)
      events += page.events
      if page.next == cursor, !isHeldBack { return events }
      cursor = page.next
    }
  }

  /// Whether there is an event, of any app, that cannot be read yet.
  private static func isHeldBack(_ ledger: Ledger) async throws -> Bool {
    try await ledger.database.read { transaction in
      let end = try transaction.row("SELECT era, writer, by_number FROM ledger_event_end")
      guard let end, try !end.flag("by_number") else { return false }
      return try transaction.row(
        "SELECT 1 AS found FROM ledger_event WHERE (era, writer) >= ($1, $2) LIMIT 1", try end.integer("era"),
        try end.integer("writer")) != nil
    }
  }

  init(_ events: [LedgerEvent]) throws {
    for event in events { try apply(event) }
    for (key, claim) in claims {
      set(
        "claim", key,
        [
          claim.customer, claim.product, claim.type, "\(claim.quantity)", claim.unit ?? "", "\(claim.given)",
          "\(claim.taken)", "\(claim.shortfall)",
        ])
    }
    for (key, account) in balances { set("credit_account", key, ["\(account.balance)", "\(account.movements)"]) }
    for (key, value) in entitlements {
      set(
        "entitlement", key,
        ["origin", "begun", "accessUntil", "ended", "endReason"].map { value[$0].map { "\($0)" } ?? "" })
    }
  }

  private mutating func set(_ table: String, _ key: String, _ values: [String]) {
    tables[table, default: [:]][key] = values.joined(separator: " | ")
  }

  private mutating func remove(_ table: String, _ key: String) {
    if tables[table]?.removeValue(forKey: key) == nil { problems.append("\(table) has no \(key)") }
  }

  private mutating func apply(_ event: LedgerEvent) throws {
    counts[event.type, default: 0] += 1
    let details =
      try event.details.flatMap { try JSONSerialization.jsonObject(with: $0) as? [String: Any] } ?? [:]
    func text(_ name: String) -> String { details[name].map { "\($0)" } ?? "" }
    func flag(_ name: String) -> String { (details[name] as? NSNumber)?.boolValue == true ? "1" : "0" }
    func number(_ name: String) -> Int64 { (details[name] as? NSNumber)?.int64Value ?? 0 }
    func key(_ parts: (any CustomStringConvertible)?...) -> String {
      parts.map { $0.map { "\($0)" } ?? "" }.joined(separator: " ")
    }
    let (app, environment) = (event.app, event.environment?.rawValue)
    let customer = event.customer.map { "\($0)" } ?? ""
    let claim = key(app, environment, event.claim)
    let account = key(customer, app, event.unit)
    switch event.kind {
    case nil: problems.append("\(event.type) is not known")
    case .incarnationBegan, .purchaseRefundRequested: break
    case .purchaseClaimed:
      let credits = details["credits"] as? [String: Any]
      let given = (credits?["amount"] as? NSNumber)?.int64Value ?? 0
      let unit = credits?["unit"] as? String
      claims[claim] = Claim(
        customer: customer, product: "\(event.product ?? "")", type: text("type"), quantity: number("quantity"),
        unit: unit, given: given)
      if let unit { move(given, key(customer, app, unit)) }
    case .purchaseMoved:
      if claims[claim]?.customer != text("from") { problems.append("\(claim) was not of \(text("from"))") }
      claims[claim]?.customer = customer
    case .purchaseProductChanged: claims[claim]?.product = "\(event.product ?? "")"
    case .purchaseOwnershipChanged:
      if let known = claims[claim]?.ownership, known != text("previousOwnership") {
        problems.append("\(claim) was \(known)")
      }
      claims[claim]?.ownership = text("ownership")
    case .purchaseRefunded:
      set(
        "statement", key(app, environment, event.transactionID),
        ["percentage", "refunded", "reason"].map(text))
    case .purchaseRefundReversed: remove("statement", key(app, environment, event.transactionID))
    case .periodRecorded, .periodChanged:
      set(
        "claim_period", key(app, environment, event.transactionID),
        [key(event.claim), key(event.product), text("purchased"), text("expires")])
    case .renewalChanged:
      set(
        "subscription_renewal", claim,
        [
          key(event.transactionID), text("product"), flag("autoRenew"), flag("billingRetry"), text("graceUntil"),
          text("expirationIntent"),
        ])
    case .renewalPriceIncrease:
      if details["status"] == nil {
        remove("price_increase", claim)
      } else {
        set("price_increase", claim, [text("status")])
      }
    case .creditsMoved:
      let (amount, cause) = (number("amount"), text("cause"))
      move(amount, account)
      guard let place = text("key").firstIndex(of: "@") else { break }
      let parts = text("key")[..<place].split(separator: "/")
      let refunded = claims.keys.first { $0.lowercased() == "\(app ?? "") \(parts[0]) \(parts[1])".lowercased() } ?? ""
      if cause.hasPrefix("refund") { claims[refunded]?.taken -= amount } else { claims[refunded]?.shortfall += amount }
    case .creditsBlocked: set("blocked", account, [])
    case .creditsUnblocked: remove("blocked", account)
    case .entitlementBegun, .entitlementChanged, .entitlementEnded, .entitlementResumed:
      let own = key(customer, app, event.product, event.source)
      if (event.kind == .entitlementBegun) != (entitlements[own] == nil) { problems.append("\(event.type): \(own)") }
      entitlements[own] = details
    case .deliveryBegun: set("delivery", key(event.delivery), [customer, key(event.product, event.source), ""])
    case .deliveryEnded: set("delivery", key(event.delivery), [customer, key(event.product, event.source), "ended"])
    case .customerJoined: set("joined", customer, [text("to")])
    case .customerErased: set("erased", customer, [])
    }
  }

  private mutating func move(_ amount: Int64, _ account: String) {
    balances[account, default: (0, 0)].balance += amount
    balances[account, default: (0, 0)].movements += 1
  }

  // MARK: The tables themselves

  /// The queries of the rows, each with its key first.
  private static let queries: [(table: String, sql: String)] = [
    (
      "claim",
      """
      SELECT app || ' ' || environment || ' ' || id AS key, customer, product, type, quantity, unit, given, taken, shortfall
      FROM claim
      """
    ),
    (
      "statement",
      "SELECT app || ' ' || environment || ' ' || id AS key, percentage, date, reason FROM statement WHERE revoked = 1"
    ),
    (
      "claim_period",
      """
      SELECT app || ' ' || environment || ' ' || id AS key, claim, product, purchased, access_until FROM claim_period
      """
    ),
    (
      "subscription_renewal",
      """
      SELECT app || ' ' || environment || ' ' || claim AS key, period, product, auto_renew, billing_retry, grace_until,
        expiration_intent
      FROM subscription_renewal
      """
    ),
    (
      "price_increase",
      """
      SELECT app || ' ' || environment || ' ' || claim AS key, price_increase FROM subscription_renewal
      WHERE price_increase IS NOT NULL
      """
    ),
    (
      "credit_account",
      "SELECT customer || ' ' || app || ' ' || unit AS key, balance, movements FROM credit_account"
    ),
    ("blocked", "SELECT customer || ' ' || app || ' ' || unit AS key FROM credit_account WHERE blocked IS NOT NULL"),
    (
      "entitlement",
      """
      SELECT customer || ' ' || app || ' ' || product || ' ' || source AS key, origin, begun, access_until, ended, end_reason
      FROM entitlement
      """
    ),
    (
      "delivery",
      """
      SELECT id AS key, customer, product || ' ' || source AS goods, CASE WHEN ended IS NULL THEN '' ELSE 'ended' END AS state
      FROM delivery
      """
    ),
    ("joined", "SELECT id AS key, joined_to FROM customer WHERE joined_to IS NOT NULL"),
    ("erased", "SELECT id AS key FROM customer WHERE erased IS NOT NULL"),
  ]

  /// Returns the differences between the rebuilt rows and those of the ledger.
  func differences(from database: any LedgerDatabase) async throws -> [String] {
    var found = problems
    for (table, sql) in Self.queries {
      let names = Self.columns[table] ?? []
      let rows = try await database.read { transaction in
        try transaction.rows(sql).map { row in
          (try row.text("key"), try names.map { try row.shown($0) }.joined(separator: " | "))
        }
      }
      let stored = Dictionary(uniqueKeysWithValues: rows)
      let rebuilt = tables[table] ?? [:]
      for key in Set(stored.keys).union(rebuilt.keys).sorted() where stored[key] != rebuilt[key] {
        found.append(
          "\(table) \(key): the ledger has \(stored[key] ?? "no row"), the events \(rebuilt[key] ?? "no row")")
      }
    }
    return found
  }

  /// The names of the columns after the key; none if the key says everything.
  private static let columns: [String: [String]] = [
    "claim": ["customer", "product", "type", "quantity", "unit", "given", "taken", "shortfall"],
    "statement": ["percentage", "date", "reason"],
    "claim_period": ["claim", "product", "purchased", "access_until"],
    "subscription_renewal": [
      "period", "product", "auto_renew", "billing_retry", "grace_until", "expiration_intent",
    ],
    "price_increase": ["price_increase"],
    "credit_account": ["balance", "movements"],
    "entitlement": ["origin", "begun", "access_until", "ended", "end_reason"],
    "delivery": ["customer", "goods", "state"],
    "joined": ["joined_to"],
  ]
}

extension SQLRow {
  /// A value as the events show it.
  fileprivate func shown(_ name: String) throws -> String {
    if ["auto_renew", "billing_retry"].contains(name) { return try flag(name) ? "1" : "0" }
    if let text = try? optionalText(name) { return text }
    return try optionalInteger(name).map { "\($0)" } ?? ""
  }
}
