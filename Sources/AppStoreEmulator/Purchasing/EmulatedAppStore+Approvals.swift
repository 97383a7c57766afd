import Foundation
import GRDB
import StoreModel

/// A confirmed payment that waits for somebody's approval (Ask to Buy).
public struct PendingApproval: Hashable, Sendable {
  public let installationID: InstallationID
  public let payment: PaymentRequest
  public let account: AccountName
  /// What is charged if it is approved: what was confirmed, whatever the price is then.
  public let total: Price
  /// When it was confirmed.
  public let date: StoreDate
}

extension EmulatedAppStore {
  /// The payments that wait for approval, oldest first.
  public func pendingApprovals() async throws -> [PendingApproval] {
    try await database.read { database in
      try PaymentRow.filter(Column("transactionID") == nil && Column("refusal") == nil)
        .order(Column("decisionDate"), Column.rowID).fetchAll(database)
        .compactMap { row in
          row.quote.map {
            PendingApproval(
              installationID: row.installationID, payment: row.request, account: row.account, total: $0.total,
              date: row.decisionDate)
          }
        }
    }
  }

  /// Approves or declines a payment that waits. The device hears of it at once, or when the app is launched again.
  ///
  /// - Returns: the transaction, if it was approved and charged; nil if it was declined, or the payment method was.
  /// - Throws: ``AppStoreEmulatorError/noSuchApproval(_:_:)`` if it does not wait (any more).
  @discardableResult
  public func decideApproval(
    of paymentID: PaymentID, on installationID: InstallationID, isApproved: Bool
  ) async throws -> StoredTransaction? {
    try prepareSigners()
    let stored: StoredTransaction? = try await database.write { database in
      guard var row = try PaymentRow.fetch(paymentID, of: installationID, in: database), row.outcome == .waiting,
        let quote = row.quote
      else { throw AppStoreEmulatorError.noSuchApproval(installationID, paymentID) }
      let now = try StoreRow.takeDate(database, clock: self.clock)
      let installation = try Self.installation(installationID, in: database)
      let customer = try Self.customer(row.account, installation.environment, in: database)
      var stored: StoredTransaction?
      if !isApproved {
        row.decide(.refused(StoreRefusal(.approvalDeclined, "The purchase was not approved. Nothing was charged.")))
      } else if let refusal = PurchaseDecision.refusal(for: customer.paymentMethod) {
        row.decide(.refused(refusal))
      } else {
        let made = try self.charge(
          quote, environment: installation.environment, bundleID: installation.bundleID,
          installationID: installationID, now: now, in: database)
        row.decide(.purchased(made.record.transactionID))
        stored = made
      }
      try row.update(database)
      try DeviceChangeRow(StoreChange(.paymentDecided), for: installationID).insert(database)
      return stored
    }
    changeBell.ring()
    return stored
  }

  /// Buys what could not be bought before the customer had settled something with the store.
  static func takeInterruptedPurchases(
    of account: AccountName, _ environment: StoreEnvironment, in database: Database
  ) throws -> [PaymentRow] {
    let rows = try PaymentRow.fetchAll(
      database,
      sql: """
        SELECT payment.* FROM payment
        JOIN interruptedPurchase USING (installationID, paymentID) JOIN installation USING (installationID)
        WHERE payment.account = ? AND installation.environment = ? ORDER BY decisionDate, payment.rowid
        """,
      arguments: [account.rawValue, environment.rawValue])
    for row in rows {
      try database.execute(
        sql: "DELETE FROM interruptedPurchase WHERE installationID = ? AND paymentID = ?",
        arguments: [row.installationID.rawValue, row.paymentID.rawValue])
    }
    return rows
  }
}
