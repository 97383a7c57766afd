import GRDB
import StoreModel

/// The sums of one customer's records.
package struct CustomerTotals: Hashable, Sendable {
  /// The charges minus the refunds, for each currency, ordered by currency code. Clamped to `Int64`.
  package let spent: [Price]
  /// The number of purchases and renewals, refunded ones included. Shares of the family are not included.
  package let purchases: Int
  /// The number of refunds with an amount above zero, reversed ones included.
  package let refunds: Int
  /// The number of payments that the customer confirmed and the store refused.
  package let refusedPayments: Int
}

extension CustomerDirectory {
  /// Computes the sums of a customer's records in the database, without loading them.
  func totals(of name: AccountName, _ environment: StoreEnvironment) throws -> CustomerTotals {
    let arguments: StatementArguments = [name.rawValue, environment.rawValue]
    let spent = try Row.fetchAll(
      work.database,
      sql: """
        SELECT currency, \(ExactSum.sql(of: "amount", as: "amount")) FROM (
          SELECT currency, amount FROM charge WHERE account = ?1 AND environment = ?2
          UNION ALL
          SELECT currency, -amount FROM refund INDEXED BY refundOfCustomer WHERE account = ?1 AND environment = ?2)
        GROUP BY currency ORDER BY currency
        """,
      arguments: arguments
    ).map { Price(amount: ExactSum.value("amount", in: $0), currency: $0["currency"]) }
    func count(_ sql: String) throws -> Int {
      try Int.fetchOne(work.database, sql: "SELECT count(*) FROM \(sql)", arguments: arguments) ?? 0
    }
    return CustomerTotals(
      spent: spent,
      purchases: try count(
        """
        transactionRecord INDEXED BY transactionRecordOnOwner
        WHERE account = ?1 AND environment = ?2 AND sharedTransactionID IS NULL
        """),
      refunds: try count("refund INDEXED BY refundOfCustomer WHERE account = ?1 AND environment = ?2 AND amount > 0"),
      refusedPayments: try count(
        """
        payment INDEXED BY paymentOfCustomer JOIN installation USING (installationID)
        WHERE payment.account = ?1 AND installation.environment = ?2 AND refusal IS NOT NULL
          AND (payment.transactionID IS NULL OR payment.approvalDate IS NOT NULL)
        """))
  }
}
