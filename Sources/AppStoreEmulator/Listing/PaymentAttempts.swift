import GRDB
import StoreModel

/// A confirmed payment that has no transaction: it waits for approval, was interrupted, or was refused.
package struct PaymentAttempt: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    case waitsForApproval
    /// The store can make the purchase later.
    case interrupted
    case refused(StoreRefusal)
  }

  /// The number of its row: attempts are numbered in the order of their confirmations, from 1.
  package let number: Int64
  package let installationID: InstallationID
  package let payment: PaymentRequest
  package let account: AccountName
  /// The date of the confirmation.
  package let date: StoreDate
  package let state: State
}

extension StoreUnitOfWork {
  /// All payments without a transaction, oldest first. Interrupted payments whose product was bought since are not among
  /// them.
  func attempts() throws -> [PaymentAttempt] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT payment.rowid AS number, payment.*, interruptedPurchase.paymentID IS NOT NULL AS isInterrupted
        FROM payment LEFT JOIN interruptedPurchase USING (installationID, paymentID)
        WHERE transactionID IS NULL ORDER BY payment.rowid
        """)
    return try rows.compactMap { row in
      let payment = try PaymentRow(row: row)
      let state: PaymentAttempt.State
      switch payment.outcome {
      case .waiting: state = .waitsForApproval
      case .refused(let refusal) where refusal.code == .purchaseInterrupted:
        guard row["isInterrupted"] else { return nil }
        state = .interrupted
      case .refused(let refusal): state = .refused(refusal)
      case .purchased: return nil
      }
      return PaymentAttempt(
        number: row["number"], installationID: payment.installationID, payment: payment.request,
        account: payment.account, date: payment.decisionDate, state: state)
    }
  }
}
