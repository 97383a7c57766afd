import Foundation
import StoreModel

extension EmulatedAppStore {
  /// Buys a product for a customer, as if outside the app: charged at once, without a sheet.
  ///
  /// The transaction is delivered to `installationID`. Without one, it is delivered to the first installation of the app on which the
  /// customer is signed in that asks for its unfinished transactions.
  ///
  /// - Parameter paymentID: names the purchase, so that a repeated call is the same purchase: charged once, and answered with the
  ///   transaction as it is by then. Nil: each call is another purchase.
  /// - Throws: ``StoreRefusal`` as a payment would be refused, with `paymentConflict` if `paymentID` was used for another purchase; or
  ///   ``AppStoreEmulatorError``.
  public func purchase(
    _ productID: ProductID, quantity: Int = 1, of bundleID: BundleID, for account: AccountName,
    in environment: StoreEnvironment, applicationUsername: String? = nil, installationID: InstallationID? = nil,
    paymentID: PaymentID? = nil
  ) async throws -> StoredTransaction {
    // Keys are made before the database transaction, which they would hold up.
    try authority.prepareForCharge(at: clock.now)
    let order = OrderedPurchase.Order(
      bundleID: bundleID, environment: environment, account: account, productID: productID, quantity: quantity,
      applicationUsername: applicationUsername, installationID: installationID)
    return try await database.write { try $0.operatorPurchases.purchase(order, as: paymentID) }
  }

  /// The payments that wait for approval, oldest first.
  public func pendingApprovals() async throws -> [PendingApproval] {
    try await database.read { try $0.approvals.pending() }
  }

  /// Approves or declines a payment that waits. The device is notified at once, or when the app is launched again.
  ///
  /// An approved payment is still refused if the product is no longer for sale, or the payment method does not pay. The device is told
  /// which. A product that the customer has bought on another device meanwhile is delivered and not charged.
  ///
  /// - Returns: the transaction, if the payment was approved and charged, or the customer owns the product; nil otherwise.
  /// - Throws: ``AppStoreEmulatorError/noSuchApproval(_:_:)`` if it does not wait, or no longer.
  @discardableResult
  public func decideApproval(
    of paymentID: PaymentID, on installationID: InstallationID, isApproved: Bool
  ) async throws -> StoredTransaction? {
    try await database.write { try $0.approvals.decide(paymentID, on: installationID, isApproved: isApproved) }
  }

  /// Refunds a transaction. It is revoked for the purchaser and for the family it is shared with.
  ///
  /// Running apps are notified at once, others at their next launch, if the product is one that is owned.
  ///
  /// - Parameters:
  ///   - reason: the customer's reason.
  ///   - percentage: the share of the price, in thousandths of a percent, from 1 to 100,000. The amount is rounded down to the
  ///     currency's smallest unit.
  /// - Returns: the transaction, revoked.
  /// - Throws: ``AppStoreEmulatorError`` if there is no such transaction, or it cannot be refunded.
  @discardableResult
  public func refund(
    _ id: TransactionID, reason: RevocationReason = .other, percentage: Int = 100_000
  ) async throws -> StoredTransaction {
    try await database.write { try $0.refunds.refund(id, reason: reason, percentage: percentage) }
  }

  /// Reverses a refund: the customer pays after all, and owns the product again.
  ///
  /// - Throws: ``AppStoreEmulatorError`` if there is no such transaction, it was not refunded, or the customer has bought the product
  ///   again since, because it would be paid twice.
  @discardableResult
  public func reverseRefund(of id: TransactionID) async throws -> StoredTransaction {
    try await database.write { try $0.refunds.reverse(id) }
  }
}

// MARK: Proofs

extension EmulatedAppStore {
  /// The content of a transaction's proofs as of now. Changes nothing.
  ///
  /// - Parameter id: its own, or that of a redelivery.
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``.
  package func proofBasis(of id: TransactionID) async throws -> ProofBasis {
    try await database.read { try $0.proofs.basis(of: id) }
  }

  /// Signs a transaction, and its receipts, as of now.
  ///
  /// This is not in the request journal, and no fault strikes it. The date of the signature is used once, like that of any other.
  ///
  /// - Parameter id: its own, or that of a redelivery.
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``, or `StoreRefusal` if nothing can be signed any more.
  package func proofs(of id: TransactionID) async throws -> TransactionProofs {
    let (basis, input, receipt) = try await database.write { try $0.proofs.unsigned(id) }
    let signer = services.signer
    return TransactionProofs(
      basis: basis, signedTransaction: try signer.signedTransaction(input), appReceipt: try signer.sign(receipt),
      legacyReceipt: try signer.legacyReceipt(of: basis.stored.record, input))
  }

  /// Answers `verifyReceipt` for a transaction's receipts, in both environments.
  package func answers(to proofs: TransactionProofs) async throws -> ProofAnswers {
    let secret = try await app(proofs.basis.stored.record.bundleID).sharedSecret
    return ProofAnswers(
      appReceipt: try await answers(to: proofs.appReceipt, secret: secret),
      legacyReceipt: try await answers(to: proofs.legacyReceipt, secret: secret))
  }

  private func answers(
    to receipt: Data, secret: String
  ) async throws -> [StoreEnvironment: VerifyReceiptResponse] {
    let body = try JSONEncoder().encode(["receipt-data": receipt.base64EncodedString(), "password": secret])
    var answers: [StoreEnvironment: VerifyReceiptResponse] = [:]
    for environment in [StoreEnvironment.production, .sandbox] {
      answers[environment] = try await services.verification.answer(to: body, in: environment)
    }
    return answers
  }
}
