import GRDB
import StoreModel

extension RecordListing {
  /// Finds records by the beginning of an identifier, ignoring case.
  ///
  /// - Parameter limit: the maximum number of records of each kind.
  func matches(beginningWith text: String, limit: Int) throws -> StoreMatches {
    StoreMatches(
      transactions: try transactions(beginningWith: text, limit: limit),
      customers: try Customer.fetchAll(
        work.database,
        sql: "SELECT * FROM customer WHERE \(Self.begins("name")) ORDER BY length(name), name, environment LIMIT ?2",
        arguments: [text, limit]),
      products: try ProductRow.fetchAll(
        work.database,
        sql: "SELECT * FROM product WHERE \(Self.begins("productID")) ORDER BY productID, bundleID LIMIT ?2",
        arguments: [text, limit]
      ).map { StoreMatches.Product(bundleID: $0.bundleID, definition: $0.definition) },
      installations: try Installation.fetchAll(
        work.database,
        sql: "SELECT * FROM installation WHERE \(Self.begins("installationID")) ORDER BY rowid DESC LIMIT ?2",
        arguments: [text, limit]))
  }

  /// Ids of transactions and orders have only digits, so a range of an index contains all that begin with the text.
  private func transactions(beginningWith text: String, limit: Int) throws -> [StoredTransaction] {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return [] }
    let end = text + ":"  // The character after the digit 9.
    return try StoredTransaction.fetchAll(
      work.database,
      sql: """
        SELECT * FROM transactionRecord WHERE sequence IN (
          SELECT sequence FROM (SELECT sequence FROM transactionRecord
            WHERE transactionID >= ?1 AND transactionID < ?2 ORDER BY transactionID DESC LIMIT ?3)
          UNION ALL
          SELECT sequence FROM (SELECT sequence FROM transactionRecord INDEXED BY transactionRecordOrder
            WHERE webOrderLineItemID >= ?1 AND webOrderLineItemID < ?2 LIMIT ?3)
          UNION ALL
          SELECT record.sequence FROM redelivery JOIN transactionRecord AS record
            ON record.transactionID = redelivery.recordID WHERE redelivery.transactionID = ?1)
        ORDER BY sequence DESC LIMIT ?3
        """,
      arguments: [text, end, limit])
  }

  private static func begins(_ column: String) -> String { "substr(lower(\(column)), 1, length(?1)) = lower(?1)" }
}
