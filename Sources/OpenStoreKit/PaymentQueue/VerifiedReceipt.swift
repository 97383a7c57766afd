import Foundation
import StoreModel

/// An app receipt that was verified for this device.
struct VerifiedReceipt: Sendable {
  let data: Data
  /// The signed creation date. The receipt with the latest date is stored, even if another one arrives later.
  let creationDate: StoreDate
  /// The transactions that the receipt lists.
  let transactionIDs: Set<TransactionID>
  /// When the receipt was requested.
  let askedAt: ReceiptOrder.Moment
}
