import Foundation
import SignedData
import StoreModel
import WebSupport

/// The fields of a purchase in an app receipt, with the names of `verifyReceipt`.
struct ReceiptPurchase: Encodable {
  let quantity: Int
  let productId: ProductID
  let transactionId: TransactionID
  let originalTransactionId: TransactionID
  let purchaseDate: String
  let originalPurchaseDate: String
  let expiresDate: String?
  let cancellationDate: String?

  /// The purchases of a receipt as JSON, newest first.
  ///
  /// - Parameter limit: the maximum number of purchases. If there are more, a line after the JSON gives the
  ///   number of those left out.
  static func text(_ receipt: AppReceipt, limit: Int) throws -> String {
    let sorted = receipt.inAppPurchases.sorted {
      ($0.purchaseDate, $0.transactionID.rawValue) > ($1.purchaseDate, $1.transactionID.rawValue)
    }
    let shown = sorted.prefix(limit).map {
      ReceiptPurchase(
        quantity: $0.quantity, productId: $0.productID, transactionId: $0.transactionID,
        originalTransactionId: $0.originalTransactionID, purchaseDate: $0.purchaseDate.description,
        originalPurchaseDate: $0.originalPurchaseDate.description, expiresDate: $0.expiresDate?.description,
        cancellationDate: $0.cancellationDate?.description)
    }
    let rest = sorted.count > shown.count ? "\nand \(sorted.count - shown.count) earlier ones" : ""
    return try PrettyJSON.text(shown, keys: .convertToSnakeCase) + rest
  }
}
