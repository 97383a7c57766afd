import StoreModel

/// How the store's answer and the signed receipt are compared under the policy `both`. Documentation/verification.md has
/// the table.
extension VerifiedAnswer {
  /// Returns the transactions that the answer and the signed receipt both contain, with the values of the receipt.
  ///
  /// The answer is not signed. So only values that reduce the customer's access are used from it: a refund, an earlier
  /// expiration date, an account token; and the ownership type,
  /// which receipts lack. The result has the date of the answer. Transactions that the receipt lacks are
  /// dropped, including later periods of its subscriptions, because the app gets a newer receipt with them. There is
  /// one exception: no receipt contains a grace period, so the answer's grace period is accepted up to
  /// ``longestGraceSeconds`` after the signed expiration date.
  ///
  /// - Parameter signed: the content of the receipt, whose signature this server has verified.
  /// - Returns: the answer, and the dropped transactions that are not later periods of the receipt's subscriptions.
  /// - Throws: ``Contradiction`` if a transaction that both contain differs.
  func agreeing(
    with signed: VerifiedProof
  ) throws(Contradiction) -> (answer: VerifiedAnswer, unexplained: [TransactionID]) {
    let own = Dictionary(signed.purchases.map { ($0.transactionID, $0) }, uniquingKeysWith: { first, _ in first })
    let subscriptions = Set(signed.purchases.filter { $0.expiresDate != nil }.map(\.originalTransactionID))
    var (accepted, unexplained): ([ProvenPurchase], [TransactionID]) = ([], [])
    for purchase in purchases {
      if let own = own[purchase.transactionID] {
        if let field = own.difference(from: purchase) {
          throw Contradiction(transactionID: purchase.transactionID, field: field)
        }
        accepted.append(own.updated(by: purchase, signedAt: signed.statedDate))
      } else if purchase.expiresDate == nil || !subscriptions.contains(purchase.originalTransactionID) {
        unexplained.append(purchase.transactionID)
      }
    }
    let agreed = VerifiedAnswer(
      environment: environment, statedDate: statedDate, purchases: accepted,
      renewals: renewals.compactMapValues { $0.limited(by: own) }, vendorIdentifier: vendorIdentifier,
      unreadablePart: unreadablePart)
    return (agreed, unexplained)
  }

  /// The longest grace period that App Store Connect offers: 28 days.
  static let longestGraceSeconds: Int64 = 28 * 86_400

  /// A transaction that the store's answer and the signed receipt describe differently.
  struct Contradiction: Error, CustomStringConvertible {
    let transactionID: TransactionID
    /// The name of the property that differs.
    let field: String

    var description: String {
      "its answer and the signed receipt differ in the \(field) of transaction \(transactionID)."
    }
  }
}

extension ProvenRenewal {
  /// The renewal with a grace period of at most ``VerifiedAnswer/longestGraceSeconds`` after a signed period; nil if the signed
  /// receipt does not contain the last period.
  fileprivate func limited(by signed: [TransactionID: ProvenPurchase]) -> ProvenRenewal? {
    guard let expires = signed[lastPeriod]?.expiresDate else { return nil }
    var renewal = self
    renewal.gracePeriodEnd = gracePeriodEnd.map {
      min($0, expires.adding(seconds: VerifiedAnswer.longestGraceSeconds))
    }
    return renewal
  }
}

extension ProvenPurchase {
  /// Returns the name of the first property that differs (product, quantity, dates, original transaction); nil if all
  /// agree. Dates are compared in whole seconds, because receipts have no fractions of a second.
  fileprivate func difference(from answer: ProvenPurchase) -> String? {
    if productID != answer.productID { return "product" }
    if quantity != answer.quantity { return "quantity" }
    if purchaseDate.wholeSeconds != answer.purchaseDate.wholeSeconds { return "purchase date" }
    if originalTransactionID != answer.originalTransactionID { return "original transaction" }
    if originalPurchaseDate.wholeSeconds != answer.originalPurchaseDate.wholeSeconds { return "original purchase date" }
    return nil
  }

  /// Returns the signed purchase, with the answer's refund if there is one, and with the answer's expiration date if it
  /// is earlier than the signed one. A refund in the receipt stays, because a reversal comes with a newer receipt. An
  /// account token can only cause a refusal, and the ownership type gives no goods, so the answer may add them.
  ///
  /// A receipt has no field for an upgrade: it contains the upgrade's date as the date of a refund of the old plan. If
  /// the answer says that this date is an upgrade, the old plan was not refunded but ends at that date.
  ///
  /// The receipt is out of date if the answer has no refund, and either has a later expiration date or lacks the
  /// receipt's refund. The purchase then has the date of the receipt, or of its refund if that is earlier, instead of
  /// the date of the answer. So an old receipt does not replace the values of a newer one.
  fileprivate func updated(by answer: ProvenPurchase, signedAt signedDate: StoreDate) -> ProvenPurchase {
    var purchase = self
    if expiresDate != nil, let replaced = answer.replacedDate, revocation?.date.wholeSeconds == replaced.wholeSeconds {
      purchase.revocation = nil
    }
    let isExtended =
      expiresDate.map { signed in answer.expiresDate.map { $0.wholeSeconds > signed.wholeSeconds } ?? false } ?? false
    if answer.revocation == nil, isExtended || purchase.revocation != nil {
      // The date of a receipt may be some seconds ahead of the store's clock, but the date of a refund is never ahead.
      purchase.statedDate = min(signedDate, purchase.revocation?.date ?? signedDate)
    }
    purchase.revocation = answer.revocation ?? purchase.revocation
    if let expiresDate, let end = answer.expiresDate { purchase.expiresDate = min(expiresDate, end) }
    purchase.isUpgraded = answer.isUpgraded
    purchase.appAccountToken = appAccountToken ?? answer.appAccountToken
    purchase.ownership = ownership ?? answer.ownership
    return purchase
  }
}
