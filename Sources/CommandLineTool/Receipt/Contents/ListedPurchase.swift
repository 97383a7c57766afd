import SignedData
import StoreModel

/// A purchase in an app receipt or a legacy receipt.
struct ListedPurchase {
  let productID: ProductID
  let quantity: Int
  let transactionID: TransactionID
  let originalTransactionID: TransactionID
  let purchaseDate: StoreDate
  let originalPurchaseDate: StoreDate
  let expiresDate: StoreDate?
  let cancellationDate: StoreDate?
  /// The fields that only app receipts have; nil for a legacy receipt.
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
