import GRDB
import StoreModel

@testable import AppStoreEmulator

/// Copies rows of an emulator's database, so that one customer has many. The copied rows were made by the store itself, so a
/// new column needs no change here, unless it contains an id. A snapshot of all rows can be restored.
struct EmulatorRows {
  let database: Database
  let rows: Int

  /// The first sequence number of copied transactions.
  static let first = 1_000_000
  /// Between the numbers of purchases, those of their shares, and those of redeliveries.
  private static let offset = 10_000_000

  /// Fills all tables. `customer` has about as many rows in each table as ``rows``, and some of them are shared with the family.
  func fill(customer: String) throws {
    let epoch = try String.fetchOne(database, sql: "SELECT substr(transactionID, 1, 10) FROM transactionRecord") ?? ""
    func number(_ offset: Int = 0) -> (sequence: String, id: String) {
      let sequence = "\(Self.first + offset) + i"
      return (sequence, "'\(epoch)' || printf('%09d', \(sequence))")
    }
    let (sequence, id) = number()
    let (sharedSequence, sharedID) = number(Self.offset)
    let (redeliverySequence, redeliveryID) = number(2 * Self.offset)
    func transaction(_ product: String, every number: Int, _ changes: [String: String]) throws {
      try copy(
        "transactionRecord", where: "sequence = (\(Self.template(product, customer)))",
        changes.merging(
          [
            "sequence": sequence, "revision": sequence, "finishRevision": "NULL", "transactionID": id,
            "paymentID": "'p' || i",
          ]
        ) { own, _ in own },
        every: number)
    }
    func share(_ product: String, every number: Int, _ changes: [String: String]) throws {
      let shared =
        "(SELECT transactionID FROM transactionRecord WHERE sequence = (\(Self.template(product, customer))))"
      let own = [
        "sequence": sharedSequence, "revision": sharedSequence, "finishRevision": "NULL", "transactionID": sharedID,
        "sharedTransactionID": id,
      ]
      try copy(
        "transactionRecord", where: "sharedTransactionID = \(shared)", changes.merging(own) { $1 }, every: number)
    }
    // Unfinished, refunded and shared goods, earlier periods of one subscription, and subscriptions of many groups. A product
    // is in one group, and a customer owns it once.
    try transaction("coins", every: 0, ["originalTransactionID": id])
    try transaction("refunded", every: 1, ["originalTransactionID": id])
    try transaction("book", every: 2, ["originalTransactionID": id, "productID": "'book' || i"])
    try share("book", every: 2, ["originalTransactionID": sharedID, "productID": "'book' || i"])
    let period = [
      "purchaseDate": "purchaseDate - i * 1000",
      "expiresDate": "purchaseDate - i * 1000 + 1000",
    ]
    try transaction("club", every: 3, period)
    try share("club", every: 3, period)
    try transaction(
      "club", every: 4,
      ["originalTransactionID": id, "subscriptionGroupID": "'g' || i", "productID": "'club' || i"])
    try copy(
      "subscription",
      [
        "originalTransactionID": id, "currentTransactionID": id, "groupID": "'g' || i",
        "revision": redeliverySequence, "state": "json_set(state, '$.productID', 'club' || i)",
      ], every: 4)
    try copy("refund", ["sequence": "NULL", "transactionID": id], every: 1)
    let charged = "transactionID, environment, account, bundleID, productID, currency"
    try database.execute(
      sql: """
        INSERT INTO charge (\(charged), amount, date)
        SELECT \(charged), price, purchaseDate FROM transactionRecord WHERE sequence > \(Self.first) AND price > 0
        """)
    try nameOrders()
    try copy("subscriptionStep", ["sequence": "NULL"])
    try copy("redelivery", ["sequence": redeliverySequence, "transactionID": redeliveryID, "paymentID": "NULL"])
    func payment(_ name: String) -> [String: String] {
      [
        "paymentID": name, "request": "json_set(request, '$.paymentID', \(name))",
        "quote": "json_set(quote, '$.payment.paymentID', \(name))",
      ]
    }
    try copy(
      "payment", where: "transactionID IS NOT NULL", payment("'p' || i").merging(["transactionID": id]) { $1 })
    try copy("payment", where: "transactionID IS NULL AND refusal IS NULL", payment("'w' || i"), every: 5)
    try copy("deviceChange", ["sequence": "NULL"])
    try copy(
      "notification", where: "account = '\(customer)'",
      // No attempt of theirs is due.
      ["sequence": "NULL", "uuid": "'00000000-0000-4000-8000-' || CAST(100000000000 + i AS TEXT)", "dueDate": "NULL"])
    try copy("orderedPurchase", ["paymentID": "'o' || i", "transactionID": id])
    try database.execute(
      sql: "\(numbers()) INSERT INTO offerNonce (bundleID, nonce) SELECT bundleID, 'n' || i FROM app, n")
    // Fewer, because one customer has one phone and not thousands.
    try copy(
      "installation",
      ["installationID": "'i' || i", "deviceID": "'00000000-0000-4000-8000-' || CAST(100000000000 + i AS TEXT)"],
      every: 6, of: 50)
    try copy("customer", where: "family IS NULL", ["name": "'other' || i", "number": sequence], every: 6, of: 50)
    try copy(
      "product", where: "productID = 'coins'",
      [
        "productID": "'coins' || i", "position": sequence,
        "definition": "json_set(definition, '$.productID', 'coins' || i)",
      ], every: 6, of: 50)
    let next = "nextSequence = \(Self.first + Self.offset * 3), nextCustomerNumber = \(Self.first * 10)"
    try database.execute(sql: "UPDATE store SET \(next), nextRevision = \(Self.first + Self.offset * 3)")
    try database.execute(sql: "DELETE FROM storeEvent")
    try StoreSchema.fillEvents(in: database)
  }

  /// Gives the copied periods and charges the order ids that the store would give them.
  private func nameOrders() throws {
    let identity = InventedIdentity(seed: try StoreRow.fetch(database).seed)
    let periods = "transactionRecord WHERE webOrderLineItemID IS NOT NULL AND sequence > \(Self.first)"
    let ids = try String.fetchAll(database, sql: "SELECT transactionID FROM \(periods)")
    for id in ids.compactMap({ TransactionID(rawValue: $0) }) {
      try database.execute(
        sql: "UPDATE transactionRecord SET webOrderLineItemID = ? WHERE transactionID = ?",
        arguments: [identity.webOrderLineItemID(of: id), id.rawValue])
    }
    let charges = try String.fetchAll(database, sql: "SELECT transactionID FROM charge WHERE orderID = ''")
    for id in charges.compactMap({ TransactionID(rawValue: $0) }) {
      try database.execute(
        sql: "UPDATE charge SET orderID = ? WHERE transactionID = ?",
        arguments: [identity.orderID(of: id), id.rawValue])
    }
  }

  /// The sequence number of the transaction that the store made for a customer's purchase.
  private static func template(_ product: String, _ customer: String) -> String {
    "SELECT min(sequence) FROM transactionRecord WHERE productID = '\(product)' AND account = '\(customer)'"
  }

  /// Copies the first row of a table that has a property.
  ///
  /// - Parameters:
  ///   - changes: SQL expressions of the copies' columns. `i` is the copy's number.
  ///   - remainder: only the numbers with this remainder are copied; nil for all.
  private func copy(
    _ table: String, where condition: String = "TRUE", _ changes: [String: String], every remainder: Int? = nil,
    of divisor: Int = 5
  ) throws {
    let names = try database.columns(in: table).map(\.name)
    let values = names.map { changes[$0] ?? "\"\($0)\"" }
    try database.execute(
      sql: """
        \(numbers(remainder, of: divisor))
        INSERT INTO \(table) (\(names.map { "\"\($0)\"" }.joined(separator: ", ")))
        SELECT \(values.joined(separator: ", "))
        FROM (SELECT * FROM \(table) WHERE \(condition) ORDER BY rowid LIMIT 1), n
        """)
  }

  private func numbers(_ remainder: Int? = nil, of divisor: Int = 5) -> String {
    """
    WITH RECURSIVE m(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM m WHERE i < \(rows)),
      n(i) AS (SELECT i FROM m WHERE \(remainder.map { "i % \(divisor) = \($0 % divisor)" } ?? "TRUE"))
    """
  }
}
