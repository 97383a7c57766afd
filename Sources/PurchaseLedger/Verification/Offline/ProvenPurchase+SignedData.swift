import SignedData
import StoreModel

extension ProvenPurchase {
  /// A purchase of an app receipt. The receipt tells neither why nor how much was refunded.
  init(_ purchase: AppReceipt.InAppPurchase) throws(ProofRefusal) {
    try Self.check(quantity: purchase.quantity)
    self.init(
      transactionID: purchase.transactionID, originalTransactionID: purchase.originalTransactionID,
      productID: purchase.productID, type: purchase.productType, quantity: purchase.quantity,
      purchaseDate: purchase.purchaseDate, originalPurchaseDate: purchase.originalPurchaseDate,
      expiresDate: purchase.expiresDate, revocation: purchase.cancellationDate.map { Revocation(date: $0) })
  }

  /// The purchase of a legacy receipt, as it stood when it was made.
  init(_ receipt: LegacyReceipt) throws(ProofRefusal) {
    try Self.check(quantity: receipt.quantity)
    self.init(
      transactionID: receipt.transactionID, originalTransactionID: receipt.originalTransactionID,
      productID: receipt.productID, quantity: receipt.quantity, purchaseDate: receipt.purchaseDate,
      originalPurchaseDate: receipt.originalPurchaseDate, expiresDate: receipt.expiresDate)
  }

  /// The purchase of a signed transaction.
  init(_ transaction: SignedTransaction) throws(ProofRefusal) {
    try Self.check(quantity: transaction.quantity)
    let percentage = transaction.revocationPercentage
    if transaction.revocationDate != nil, !(1...100_000).contains(percentage ?? 100_000) {
      throw .unreadable(detail: "its revocationPercentage is not from 1 to 100000")
    }
    self.init(
      transactionID: transaction.transactionID, originalTransactionID: transaction.originalTransactionID,
      productID: transaction.productID, type: transaction.type, quantity: transaction.quantity,
      purchaseDate: transaction.purchaseDate, originalPurchaseDate: transaction.originalPurchaseDate,
      // Of a plan that a higher one took the place of, nothing is left.
      expiresDate: transaction.isUpgraded
        ? min(transaction.expiresDate ?? transaction.signedDate, transaction.signedDate) : transaction.expiresDate,
      ownership: transaction.ownership ?? .purchased,
      appAccountToken: transaction.appAccountToken,
      revocation: transaction.revocationDate.map {
        Revocation(date: $0, reason: transaction.rawRevocationReason, percentage: percentage)
      })
  }

  private static func check(quantity: Int) throws(ProofRefusal) {
    guard quantities.contains(Int64(quantity)) else {
      throw .unreadable(detail: "a quantity in it is not from \(quantities.lowerBound) to \(quantities.upperBound)")
    }
  }
}
