import Foundation
import SignedData
import StoreModel

extension EmulatedAppStore {
  /// Buys a product for a customer outside the app, without a confirmation sheet. The customer is charged at once. A plan or
  /// an offer that begins with the next period of a subscription is only stored: nothing is charged now, and the
  /// transaction of the current period is returned.
  ///
  /// The transaction is delivered to `installationID`. If that is nil, it is delivered to the customer's first
  /// installation of the app that requests its unfinished transactions.
  ///
  /// - Parameters:
  ///   - paymentID: the idempotency key of the purchase. A repeated call makes no second purchase, and returns the
  ///     current state of the first transaction. If nil, each call makes a purchase.
  ///   - offer: an offer code, win-back offer or promotional offer that the customer redeems. No signature is required.
  /// - Throws: ``StoreRefusal`` if the payment is refused, with the code `paymentConflict` if `paymentID` was used for
  ///   another purchase; or ``AppStoreEmulatorError``.
  public func purchase(
    _ productID: ProductID, quantity: Int = 1, of bundleID: BundleID, for account: AccountName,
    in environment: StoreEnvironment, applicationUsername: String? = nil, installationID: InstallationID? = nil,
    paymentID: PaymentID? = nil, offer: PaymentOffer? = nil
  ) async throws -> StoredTransaction {
    let request = OperatorPurchaseRow.Request(
      bundleID: bundleID, environment: environment, account: account, productID: productID, quantity: quantity,
      applicationUsername: applicationUsername, installationID: installationID, offer: offer)
    try prepareKeysForCharge()
    return try await database.write { try $0.operatorPurchases.purchase(request, as: paymentID) }
  }

  /// Makes the keys of a charge before its database transaction. Making them inside it would block other transactions.
  func prepareKeysForCharge() throws { try authority.prepareForCharge(at: clock.now) }

  /// The payments that wait for approval, oldest first.
  public func pendingApprovals() async throws -> [PendingApproval] {
    try await database.read { try $0.listing.approvals() }
  }

  /// Approves or declines a payment that waits for approval (Ask to Buy). The device is notified at once, or when the
  /// app is launched again.
  ///
  /// An approved payment is still refused if the product is no longer for sale, or if the payment method is declined.
  /// The device receives the reason. If the customer has bought the product on another device meanwhile, it is
  /// redelivered without a charge.
  ///
  /// - Returns: the new transaction if the payment was charged, or the existing transaction if it was redelivered; nil
  ///   if the payment was declined or refused.
  /// - Throws: ``AppStoreEmulatorError/noSuchApproval(_:_:)`` if the payment does not wait for approval.
  @discardableResult
  public func decideApproval(
    of paymentID: PaymentID, on installationID: InstallationID, isApproved: Bool
  ) async throws -> StoredTransaction? {
    try await database.write { try $0.approvals.decide(paymentID, on: installationID, isApproved: isApproved) }
  }

  /// Refunds a transaction. It is revoked for the purchaser and for the family it is shared with.
  ///
  /// For non-consumables and auto-renewable subscriptions, running apps are notified at once, others at their next
  /// launch.
  ///
  /// - Parameters:
  ///   - reason: the customer's reason.
  ///   - percentage: the share of the price, in thousandths of a percent, from 1 to 100,000. The amount is rounded down
  ///     to the currency's smallest unit.
  /// - Returns: the revoked transaction.
  /// - Throws: ``AppStoreEmulatorError`` if there is no such transaction, or it cannot be refunded.
  @discardableResult
  public func refund(
    _ id: TransactionID, reason: RevocationReason = .other, percentage: Int = 100_000
  ) async throws -> StoredTransaction {
    try await database.write { try $0.refunds.refund(id, reason: reason, percentage: percentage) }
  }

  /// Reverses a refund: the customer pays again, and owns the product again.
  ///
  /// - Throws: ``AppStoreEmulatorError`` if there is no such transaction, it was not refunded, or the customer would
  ///   own the product twice. For a subscription, also if the customer has bought another plan, or a later period has
  ///   begun.
  @discardableResult
  public func reverseRefund(of id: TransactionID) async throws -> StoredTransaction {
    try await database.write { try $0.refunds.reverse(id) }
  }
}

// MARK: Proofs

extension EmulatedAppStore {
  /// The current contents of a transaction's proofs. Changes nothing.
  ///
  /// - Parameter id: the id of the transaction or of a redelivery.
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``.
  package func proofBasis(of id: TransactionID) async throws -> ProofBasis {
    try await database.read { try $0.proofs.basis(of: id) }
  }

  /// The number of non-consumables and subscription periods of the customer who owns transaction `id`. Their app receipt
  /// always lists them; consumables only until they are finished.
  package func listedCount(of id: TransactionID) async throws -> Int {
    try await database.read { try $0.proofs.listedCount(of: id) }
  }

  /// Signs a transaction and its receipts now.
  ///
  /// The request journal does not record this call, and faults do not apply to it. As with deliveries, each signing
  /// date is used only once.
  ///
  /// - Parameters:
  ///   - id: the id of the transaction or of a redelivery.
  ///   - chain: the certificates of the signatures.
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``, or `StoreRefusal` if the store can no longer sign.
  package func proofs(of id: TransactionID, chain: SigningChain = .valid) async throws -> TransactionProofs {
    let (basis, input, receipt) = try await database.write { try $0.proofs.unsigned(id) }
    let signer = services.signing(with: chain).signer
    return TransactionProofs(
      basis: basis, signedTransaction: try signer.signedTransaction(input, forDevice: false),
      appReceipt: try signer.sign(receipt),
      legacyReceipt: try signer.legacyReceipt(of: basis.stored.record, input))
  }

  /// The answers of `verifyReceipt` to a transaction's receipts, in both environments.
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
