import GRDB
import StoreModel

/// The place of an event in a customer's timeline, and the row that contains it.
struct CustomerEventKey: FetchableRecord, Comparable {
  /// The table of the row. The raw values are the order of events of the same second, because some dates have whole
  /// seconds only.
  enum Source: Int {
    case refusal, approvalAsked, approvalDecided, transaction, redelivery, subscription, refund, revocation
  }

  let source: Source
  let date: StoreDate
  /// The row's number; for a request, its number in the journal.
  let number: Int64

  init(_ source: Source, _ date: StoreDate, number: Int64) {
    (self.source, self.date, self.number) = (source, date, number)
  }

  init(row: Row) throws {
    guard let source = Source(rawValue: row["source"]) else {
      throw DatabaseError(message: "There is no source of events with the number \(row["source"] as Int).")
    }
    self.init(source, StoreDate(millisecondsSince1970: row["date"]), number: row["number"])
  }

  static func < (left: CustomerEventKey, right: CustomerEventKey) -> Bool { left.order < right.order }

  private var order: (Int64, Int, Int64, Int64) {
    (date.wholeSeconds.millisecondsSince1970, source.rawValue, date.millisecondsSince1970, number)
  }

  /// The newest events of a customer in the records, newest first.
  static func newest(
    _ limit: Int, of account: AccountName, _ environment: StoreEnvironment, in database: Database
  ) throws -> [CustomerEventKey] {
    try fetchAll(
      database,
      sql: "SELECT * FROM (\(selection)) ORDER BY date / 1000 DESC, source DESC, date DESC, number DESC LIMIT ?3",
      arguments: [account.rawValue, environment.rawValue, limit])
  }

  /// Selects the keys of all events. Each part reads an index that begins with the customer.
  private static let selection = """
    SELECT \(Source.transaction.rawValue) AS source, purchaseDate AS date, sequence AS number
    FROM transactionRecord INDEXED BY transactionRecordOnOwner WHERE account = ?1 AND environment = ?2
    UNION ALL
    SELECT \(Source.redelivery.rawValue), redelivery.date, redelivery.sequence
    FROM transactionRecord INDEXED BY transactionRecordOnOwner
      CROSS JOIN redelivery ON redelivery.recordID = transactionRecord.transactionID
    WHERE account = ?1 AND environment = ?2 AND type <> 'Consumable'
    UNION ALL
    SELECT \(Source.refund.rawValue), date, sequence
    FROM refund INDEXED BY refundOfCustomer WHERE account = ?1 AND environment = ?2
    UNION ALL
    SELECT \(Source.revocation.rawValue), revocationDate, sequence
    FROM transactionRecord INDEXED BY transactionRecordRevoked
    WHERE account = ?1 AND environment = ?2 AND revocationDate IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM refund
        WHERE refund.transactionID = transactionRecord.transactionID AND date = revocationDate AND amount > 0)
    UNION ALL
    SELECT \(Source.subscription.rawValue), date, subscriptionStep.sequence
    FROM subscription CROSS JOIN subscriptionStep USING (originalTransactionID)
    WHERE account = ?1 AND environment = ?2 AND step NOT IN ('subscribed', 'renewed')
    UNION ALL
    SELECT \(Source.refusal.rawValue), decisionDate, number FROM \(payments)
    WHERE refusal IS NOT NULL AND approvalDate IS NULL
    UNION ALL
    SELECT \(Source.approvalAsked.rawValue), decisionDate, number FROM \(payments)
    WHERE refusal IS NULL OR approvalDate IS NOT NULL
    UNION ALL
    SELECT \(Source.approvalDecided.rawValue), approvalDate, number FROM \(payments) WHERE approvalDate IS NOT NULL
    """

  /// The customer's payments that were refused, or that wait or waited for approval.
  private static let payments = """
    (SELECT payment.rowid AS number, decisionDate, approvalDate, refusal
      FROM payment INDEXED BY paymentOfCustomer JOIN installation USING (installationID)
      WHERE payment.account = ?1 AND installation.environment = ?2
        AND (payment.transactionID IS NULL OR payment.approvalDate IS NOT NULL))
    """
}
