import GRDB

/// Copies rows of an emulator's database, so that one customer has many. The copied rows were made by the store itself, so a
/// new column needs no change here.
struct EmulatorRows {
  let database: Database
  let rows: Int

  /// The first sequence number of copied transactions.
  static let first = 1_000_000
  /// The first of the copies' ids. A share has the id of its purchase plus ``shareOffset``.
  private static let id = 7_000_000_000_000
  /// Between the numbers of purchases and those of their shares. The store numbers fewer than a thousand million transactions.
  private static let shareOffset = 10_000_000

  /// Fills all tables. `customer` has about as many rows in each table as ``rows``, and some of them are shared with the family.
  func fill(customer: String) throws {
    let id = "CAST(\(Self.id) + i AS TEXT)"
    let sequence = "\(Self.first) + i"
    func transaction(_ product: String, every number: Int, _ changes: [String: String]) throws {
      try copy(
        "transactionRecord", where: "sequence = (\(Self.template(product, customer)))",
        changes.merging(["sequence": sequence, "transactionID": id]) { own, _ in own }, every: number)
    }
    func share(_ product: String, every number: Int, _ changes: [String: String]) throws {
      let other = "CAST(\(Self.id + Self.shareOffset) + i AS TEXT)"
      let shared =
        "(SELECT transactionID FROM transactionRecord WHERE sequence = (\(Self.template(product, customer))))"
      let own = ["sequence": "\(sequence) + \(Self.shareOffset)", "transactionID": other, "sharedTransactionID": id]
      try copy(
        "transactionRecord", where: "sharedTransactionID = \(shared)", changes.merging(own) { $1 }, every: number)
    }
    // Unfinished, refunded and shared goods, earlier periods of one subscription, and subscriptions of many groups.
    try transaction("coins", every: 0, ["originalTransactionID": id])
    try transaction("refunded", every: 1, ["originalTransactionID": id])
    try transaction("book", every: 2, ["originalTransactionID": id, "productID": "'book' || i"])
    try share(
      "book", every: 2,
      ["originalTransactionID": "CAST(\(Self.id + Self.shareOffset) + i AS TEXT)", "productID": "'book' || i"])
    let period = [
      "webOrderLineItemID": id, "purchaseDate": "purchaseDate - i * 1000",
      "expiresDate": "purchaseDate - i * 1000 + 1000",
    ]
    try transaction("club", every: 3, period)
    try share("club", every: 3, period)
    try transaction(
      "club", every: 4, ["originalTransactionID": id, "webOrderLineItemID": id, "subscriptionGroupID": "'g' || i"])
    try copy(
      "subscription", ["originalTransactionID": id, "currentTransactionID": id, "groupID": "'g' || i"], every: 4)
    try copy("refund", ["sequence": "NULL", "transactionID": id], every: 1)
    try copy("charge", ["transactionID": id])
    try copy("subscriptionStep", ["sequence": "NULL"])
    try copy("redelivery", ["sequence": "\(Self.first) + i", "transactionID": "CAST(\(Self.id * 2) + i AS TEXT)"])
    try copy("payment", where: "transactionID IS NOT NULL", ["paymentID": "'p' || i", "transactionID": id])
    try copy("payment", where: "transactionID IS NULL AND refusal IS NULL", ["paymentID": "'w' || i"], every: 5)
    try copy("deviceChange", ["sequence": "NULL"])
    try copy("orderedPurchase", ["paymentID": "'o' || i", "transactionID": id])
    try database.execute(
      sql: "\(numbers()) INSERT INTO offerNonce (bundleID, nonce) SELECT bundleID, 'n' || i FROM app, n")
    // Fewer, because one customer has one phone and not thousands.
    let number = "\(Self.first) + i"
    try copy(
      "installation",
      ["installationID": "'i' || i", "deviceID": "'00000000-0000-4000-8000-' || CAST(100000000000 + i AS TEXT)"],
      every: 6, of: 50)
    try copy("customer", where: "family IS NULL", ["name": "'other' || i", "number": number], every: 6, of: 50)
    try copy(
      "product", where: "productID = 'coins'", ["productID": "'coins' || i", "position": number], every: 6, of: 50)
    let next = "nextSequence = \(Self.first + Self.shareOffset * 2), nextCustomerNumber = \(Self.first * 10)"
    try database.execute(sql: "UPDATE store SET \(next)")
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
