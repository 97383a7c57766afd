import AppStoreEmulator
import Foundation
import PrivatePostgreSQL
import PurchaseLedger
import PurchaseLedgerPostgreSQL
import StoreModel

/// The database of the servers of a load test.
enum LoadedDatabase: Sendable {
  /// - Parameter folder: the folder of the servers' configuration.
  case sqlite(folder: URL)
  case postgreSQL(connection: String)

  /// The `database` member of the servers' configuration.
  var configuration: [String: Any] {
    switch self {
    case .sqlite: ["sqlite": "ledger.sqlite"]
    case .postgreSQL(let connection): ["postgresql": connection, "connections": 4, "withoutFsync": true]
    }
  }

  /// Opens the ledger, while no server runs.
  func open() async throws -> any LedgerDatabase {
    switch self {
    case .sqlite(let folder): return try SQLiteLedgerDatabase(at: folder.appending(path: "ledger.sqlite"))
    case .postgreSQL(let connection):
      var configuration = try PostgreSQLConfiguration(connectionString: connection)
      configuration.acceptsServerWithoutFsync = true
      return try await PostgreSQLLedgerDatabase.open(configuration)
    }
  }

  /// Ends the lease of a server that was killed while it read the store's history. It would end by itself after two minutes.
  func endLeases() async throws {
    let database = try await open()
    _ = try await database.write(locking: []) {
      try $0.rows("UPDATE store_cursor SET until = 0, holder = NULL RETURNING app")
    }
    try await database.close()
  }
}

/// The rows of a ledger after a load test, as the database has them. It uses none of the ledger's rules.
struct LoadedLedger: Sendable {
  struct Claim: Sendable {
    let customer: String
    let given: Int64
    let taken: Int64
    let shortfall: Int64
  }

  struct Movement: Sendable {
    let customer: String
    let cause: String
    let key: String
    let amount: Int64

    /// Whether it was caused by a purchase, its refund or the reversal of the refund.
    func isOf(_ purchase: String, _ causes: Set<String>) -> Bool {
      causes.contains(cause) && key.split(separator: "@").first == "sandbox/\(purchase)"
    }
  }

  struct Medal: Sendable {
    let customer: String
    let source: String
    let endReason: String?
  }

  struct AuditEntry: Sendable {
    let action: String
    let subject: String
    let detail: String
  }

  var claims: [String: Claim] = [:]
  /// The percentage that the ledger knows to be refunded, for each purchase that a statement is about.
  var refunded: [String: Int64] = [:]
  var movements: [Movement] = []
  var medals: [Medal] = []
  var audit: [AuditEntry] = []
  var moves: [String] = []
  /// The state of each notification.
  var notifications: [String: String] = [:]
  var erased: Set<String> = []
  var blocked: Set<String> = []
  var balances: [String: Int64] = [:]
  /// The number of rows of `ledger_check`, and the sum of all accounts.
  var wrongAccounts = 0
  var sum: Int64 = 0

  static func read(_ database: LoadedDatabase) async throws -> LoadedLedger {
    let opened = try await database.open()
    let ledger = try await opened.read { try LoadedLedger($0) }
    try await opened.close()
    return ledger
  }

  private init(_ transaction: LedgerTransaction) throws {
    for row in try transaction.rows("SELECT id, customer, given, taken, shortfall FROM claim") {
      claims[try row.text("id")] = Claim(
        customer: try row.text("customer"), given: try row.integer("given"), taken: try row.integer("taken"),
        shortfall: try row.integer("shortfall"))
    }
    for row in try transaction.rows("SELECT id, revoked, percentage FROM statement") {
      refunded[try row.text("id")] = try row.flag("revoked") ? try row.integer("percentage") : 0
    }
    movements = try transaction.rows("SELECT customer, cause, cause_key, amount FROM credit_movement").map {
      Movement(
        customer: try $0.text("customer"), cause: try $0.text("cause"), key: try $0.text("cause_key"),
        amount: try $0.integer("amount"))
    }
    medals = try transaction.rows("SELECT customer, source, end_reason FROM entitlement").map {
      Medal(
        customer: try $0.text("customer"), source: try $0.text("source"), endReason: try $0.optionalText("end_reason"))
    }
    audit = try transaction.rows("SELECT action, subject, detail FROM audit_entry").map {
      AuditEntry(action: try $0.text("action"), subject: try $0.text("subject"), detail: try $0.text("detail"))
    }
    moves = try transaction.rows("SELECT id FROM claim_transfer").map { try $0.text("id") }
    for row in try transaction.rows("SELECT uuid, state FROM notification") {
      notifications[try row.text("uuid")] = try row.text("state")
    }
    erased = Set(try transaction.rows("SELECT id FROM customer WHERE erased IS NOT NULL").map { try $0.text("id") })
    for row in try transaction.rows("SELECT customer, balance, blocked FROM credit_account") {
      balances[try row.text("customer")] = try row.integer("balance")
      if try row.optionalInteger("blocked") != nil { blocked.insert(try row.text("customer")) }
    }
    wrongAccounts = try transaction.rows("SELECT customer FROM ledger_check").count
    sum = try transaction.rows("SELECT balance FROM ledger_balance").reduce(0) { $0 + (try $1.integer("balance")) }
  }

  // MARK: Comparisons

  /// Compares every purchase with the store's record of it: who has it, what it gave, and what a refund took back.
  func problems(comparedWith transactions: [StoredTransaction]) -> [String] {
    var problems: [String] = []
    func expect<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) {
      if found != expected { problems.append("\(what): \(found), instead of \(expected)") }
    }
    expect("rows of ledger_check", wrongAccounts, 0)
    expect("the sum of all accounts", sum, 0)
    expect("negative balances", balances.filter { $0.value < 0 }.count, 0)
    expect("claims", Set(claims.keys), Set(transactions.map { $0.record.transactionID.rawValue }))
    for transaction in transactions {
      let (record, id) = (transaction.record, transaction.record.transactionID.rawValue)
      guard let claim = claims[id] else { continue }
      let percentage = record.revocationDate == nil ? 0 : Int64(record.revocationPercentage ?? 100_000)
      expect("\(id) refunded", refunded[id] ?? 0, percentage)
      guard record.productID == CoinStore.coins else {
        let owners = medals.filter { $0.source == id && $0.endReason == nil }.map(\.customer)
        let isHeld = percentage == 0 && !erased.contains(claim.customer)
        expect("\(id) owners", owners, isHeld ? [claim.customer] : [])
        continue
      }
      let bought = movements.filter { $0.isOf(id, ["purchase"]) }
      expect("\(id) given", bought.map(\.amount), [Int64(CoinStore.coinsEach)])
      expect("\(id) given to", bought.map(\.customer), [claim.customer])
      expect("\(id) credits of the claim", claim.given, Int64(CoinStore.coinsEach))
      expect("\(id) taken", claim.taken, claim.given * percentage / 100_000)
      let refunds = movements.filter { $0.isOf(id, ["refund", "refundReversed"]) }
      expect("\(id) movements of refunds", refunds.reduce(0) { $0 + $1.amount }, -claim.taken)
      let writtenOff = movements.filter { $0.isOf(id, ["shortfall", "shortfallReversed"]) }
      expect("\(id) written off", writtenOff.reduce(0) { $0 + $1.amount }, claim.shortfall)
    }
    return problems
  }

  /// Compares the movements of a cause with what was acknowledged: each is there once.
  ///
  /// - Parameter erased: a customer whose last answers may have been lost, because nobody repeats requests of an erased customer.
  func problems(
    of cause: String, acknowledged: Set<RedemptionLoad.KeyedChange>, except erased: String? = nil
  ) -> [String] {
    let found = movements.filter { $0.cause == cause }.map {
      RedemptionLoad.KeyedChange(customer: $0.customer, key: $0.key)
    }
    let (missing, surplus) = (
      acknowledged.subtracting(found), Set(found).subtracting(acknowledged).filter { $0.customer != erased }
    )
    return (missing.isEmpty ? [] : ["\(cause): acknowledged, but not there: \(missing)"])
      + (surplus.isEmpty ? [] : ["\(cause): there, but not acknowledged: \(surplus)"])
      + (found.count == Set(found).count ? [] : ["\(cause): the same change is there twice"])
  }

  /// The number of entries of an action in the audit log.
  func entries(_ action: String, about subject: String, _ detail: String = "") -> Int {
    audit.filter { entry in
      entry.action == action && entry.subject == subject && (detail.isEmpty || entry.detail.contains(detail))
    }.count
  }
}
