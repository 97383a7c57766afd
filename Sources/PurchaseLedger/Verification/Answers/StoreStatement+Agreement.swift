import StoreModel

/// How the store's answer and the signed receipt are compared under the policy `both`. Documentation/verification.md has
/// the table.
extension StoreStatement {
  /// The statement without the transactions that the signed receipt does not cover.
  ///
  /// - Parameter signed: the receipt's own content, under a signature that was verified here.
  /// - Throws: ``Contradiction`` where a transaction of both differs.
  func agreeing(
    with signed: VerifiedProof
  ) throws(Contradiction) -> (statement: StoreStatement, dropped: [TransactionID]) {
    let own = Dictionary(signed.purchases.map { ($0.transactionID, $0) }, uniquingKeysWith: { first, _ in first })
    let subscriptions = Set(signed.purchases.filter { $0.expiresDate != nil }.map(\.originalTransactionID))
    var (covered, dropped): ([ProvenPurchase], [TransactionID]) = ([], [])
    for purchase in purchases {
      if let own = own[purchase.transactionID] {
        if let field = own.difference(from: purchase) {
          throw Contradiction(transactionID: purchase.transactionID, field: field)
        }
        covered.append(purchase)
      } else if purchase.expiresDate != nil, subscriptions.contains(purchase.originalTransactionID) {
        // A period that began after the receipt was made.
        covered.append(purchase)
      } else {
        dropped.append(purchase.transactionID)
      }
    }
    let statement = StoreStatement(
      environment: environment, statedDate: statedDate, purchases: covered, vendorIdentifier: vendorIdentifier)
    return (statement, dropped)
  }

  /// A transaction that the store's answer and the signed receipt describe differently.
  struct Contradiction: Error, CustomStringConvertible {
    let transactionID: TransactionID
    /// The name of what differs.
    let field: String

    var description: String {
      "its answer and the signed receipt differ in the \(field) of transaction \(transactionID)."
    }
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
}
