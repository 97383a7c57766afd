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
  /// A payment that was approved is refused all the same where the product is no longer for sale or the payment method does
  /// not pay; the device is told which.
  ///
  /// What the customer holds by then, bought on another device, is delivered and not charged.
  ///
  /// - Returns: the transaction, if it was approved and charged, or held; nil otherwise.
  /// - Throws: ``AppStoreEmulatorError/noSuchApproval(_:_:)`` if it does not wait (any more).
  @discardableResult
  public func decideApproval(
    of paymentID: PaymentID, on installationID: InstallationID, isApproved: Bool
  ) async throws -> StoredTransaction? {
    let stored: StoredTransaction? = try await database.write { database in
      guard var row = try PaymentRow.fetch(paymentID, of: installationID, in: database), row.outcome == .waiting,
        let quote = row.quote
      else { throw AppStoreEmulatorError.noSuchApproval(installationID, paymentID) }
      let now = try StoreRow.takeDate(database, clock: self.clock)
      row.approvalDate = now
      let installation = try Self.installation(installationID, in: database)
      let customer = try Self.customer(row.account, installation.environment, in: database)
      let product = try ProductRow.definition(quote.payment.productID, of: installation.bundleID, in: database)
      var stored: StoredTransaction?
      let held = try Self.held(
        quote.payment.productID, by: row.account, of: installation.bundleID, in: installation.environment, at: now,
        database: database)
      let subscribed =
        held == nil
        ? try product.flatMap {
          try Self.refusalOfSecondSubscription(
            to: $0, of: row.account, installation.bundleID, installation.environment, at: now, in: database)
        } : nil
      let decision = PurchaseDecision.refusal(
        isApproved: isApproved, isHeld: held != nil, isForSale: product != nil, paymentMethod: customer.paymentMethod)
      switch decision ?? subscribed {
      case let refusal?:
        row.decide(.refused(refusal))
        try row.update(database)
        if refusal.code == .purchaseInterrupted { try Self.interrupt(paymentID, on: installationID, in: database) }
      case nil:
        try self.prepareSigners()
        let made = try self.provide(quote, for: installation, now: now, in: database)
        row.decide(.purchased(made.transactionID))
        try row.update(database)
        stored = made.stored
      }
      try DeviceChangeRow(StoreChange(.paymentDecided), for: installationID).insert(database)
      return stored
    }
    changeBell.ring()
    return stored
  }
}
