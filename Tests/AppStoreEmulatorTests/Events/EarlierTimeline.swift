import GRDB
import StoreModel

@testable import AppStoreEmulator

/// The timeline of a customer as the version before events made it: from eight kinds of records.
enum EarlierTimeline {
  /// An entry: its place, date and row.
  struct Entry: Hashable {
    let place: Int
    let date: Int64
    let number: Int64
  }

  static func entries(
    of account: AccountName, _ environment: StoreEnvironment, in database: Database
  ) throws -> [Entry] {
    try Row.fetchAll(
      database,
      sql: "SELECT * FROM (\(selection)) ORDER BY date / 1000 DESC, source DESC, date DESC, number DESC",
      arguments: [account.rawValue, environment.rawValue]
    ).map { Entry(place: $0["source"], date: $0["date"], number: $0["number"]) }
  }

  static func entries(_ keys: [CustomerEventKey]) -> [Entry] {
    keys.map { Entry(place: $0.place.rawValue, date: $0.date.millisecondsSince1970, number: $0.number) }
  }

  /// All customers that own a record, and their environments.
  static func customers(_ database: Database) throws -> [(AccountName, StoreEnvironment)] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT account, environment FROM transactionRecord
        UNION SELECT payment.account, environment FROM payment JOIN installation USING (installationID)
        UNION SELECT name, environment FROM customer
        """
    ).compactMap { row in
      StoreEnvironment(rawValue: row["environment"]).map { (AccountName(rawValue: row["account"]), $0) }
    }
  }

  private static let selection = """
    SELECT 3 AS source, purchaseDate AS date, sequence AS number
    FROM transactionRecord WHERE account = ?1 AND environment = ?2
    UNION ALL
    SELECT 4, redelivery.date, redelivery.sequence
    FROM transactionRecord CROSS JOIN redelivery ON redelivery.recordID = transactionRecord.transactionID
    WHERE account = ?1 AND environment = ?2 AND type <> 'Consumable'
    UNION ALL
    SELECT 6, date, sequence FROM refund WHERE account = ?1 AND environment = ?2
    UNION ALL
    SELECT 7, revocationDate, sequence FROM transactionRecord
    WHERE account = ?1 AND environment = ?2 AND revocationDate IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM refund
        WHERE refund.transactionID = transactionRecord.transactionID AND date = revocationDate AND amount > 0)
    UNION ALL
    SELECT 5, date, subscriptionStep.sequence
    FROM subscription CROSS JOIN subscriptionStep USING (originalTransactionID)
    WHERE account = ?1 AND environment = ?2 AND step NOT IN ('subscribed', 'renewed')
    UNION ALL
    SELECT 0, decisionDate, number FROM \(payments) WHERE refusal IS NOT NULL AND approvalDate IS NULL
    UNION ALL
    SELECT 1, decisionDate, number FROM \(payments) WHERE refusal IS NULL OR approvalDate IS NOT NULL
    UNION ALL
    SELECT 2, approvalDate, number FROM \(payments) WHERE approvalDate IS NOT NULL
    """

  private static let payments = """
    (SELECT payment.rowid AS number, decisionDate, approvalDate, refusal
      FROM payment JOIN installation USING (installationID)
      WHERE payment.account = ?1 AND installation.environment = ?2
        AND (payment.transactionID IS NULL OR payment.approvalDate IS NOT NULL))
    """
}
