import StoreModel

/// How the store's answer and the signed receipt are compared under the policy `both`. Documentation/verification.md has
/// the table.
extension VerifiedAnswer {
  /// The transactions that the answer and the signed receipt both have, as the receipt describes them.
  ///
  /// The answer is not signed. It adds only what takes something away: a refund, an earlier expiration date, an account token.
  /// Its date orders it among other answers. Transactions that the receipt lacks are dropped, also later periods of its
  /// subscriptions: the app gets a newer receipt with them. Exception: a grace period is not part of any receipt, so it is
  /// accepted, but only up to ``longestGraceSeconds`` after the signed expiration date.
  ///
  /// - Parameter signed: the content of the receipt, under a signature that was verified here.
  /// - Returns: the answer, and the dropped transactions that no later receipt explains.
  /// - Throws: ``Contradiction`` if a transaction of both differs.
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
        accepted.append(own.updated(by: purchase))
      } else if purchase.expiresDate == nil || !subscriptions.contains(purchase.originalTransactionID) {
        unexplained.append(purchase.transactionID)
      }
    }
    let agreed = VerifiedAnswer(
      environment: environment, statedDate: statedDate, purchases: accepted,
      renewals: renewals.compactMapValues { $0.limited(by: own) }, vendorIdentifier: vendorIdentifier)
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
  /// The name of the first of product, quantity and dates that differs; nil where all agree. Receipts give whole seconds.
  fileprivate func difference(from answer: ProvenPurchase) -> String? {
    if productID != answer.productID { return "product" }
    if quantity != answer.quantity { return "quantity" }
    if purchaseDate.wholeSeconds != answer.purchaseDate.wholeSeconds { return "purchase date" }
    if originalTransactionID != answer.originalTransactionID { return "original transaction" }
    if originalPurchaseDate.wholeSeconds != answer.originalPurchaseDate.wholeSeconds { return "original purchase date" }
    return nil
  }

  /// The signed purchase with what the store may have taken away since: a refund, or the time after an upgrade. A refund that
  /// the receipt has stays: its reversal comes with a newer receipt. An account token can only refuse a claim, so the
  /// answer may add it.
  fileprivate func updated(by answer: ProvenPurchase) -> ProvenPurchase {
    var purchase = self
    purchase.revocation = answer.revocation ?? revocation
    if let expiresDate, let end = answer.expiresDate { purchase.expiresDate = min(expiresDate, end) }
    purchase.appAccountToken = appAccountToken ?? answer.appAccountToken
    return purchase
  }
}
