import SignedData
import StoreModel

/// One purchase as a receipt of either kind lists it.
struct ListedPurchase {
  let productID: ProductID
  let quantity: Int
  let transactionID: TransactionID
  let originalTransactionID: TransactionID
  let purchaseDate: StoreDate
  let originalPurchaseDate: StoreDate
  let expiresDate: StoreDate?
  let cancellationDate: StoreDate?
  /// What only app receipts say.
  let details: AppReceipt.InAppPurchase?

  init(_ purchase: AppReceipt.InAppPurchase) {
    productID = purchase.productID
    quantity = purchase.quantity
    transactionID = purchase.transactionID
    originalTransactionID = purchase.originalTransactionID
    purchaseDate = purchase.purchaseDate
    originalPurchaseDate = purchase.originalPurchaseDate
    expiresDate = purchase.expiresDate
    cancellationDate = purchase.cancellationDate
    details = purchase
  }

  init(_ receipt: LegacyReceipt) {
    productID = receipt.productID
    quantity = receipt.quantity
    transactionID = receipt.transactionID
    originalTransactionID = receipt.originalTransactionID
    purchaseDate = receipt.purchaseDate
    originalPurchaseDate = receipt.originalPurchaseDate
    expiresDate = receipt.expiresDate
    cancellationDate = nil
    details = nil
  }
}
