import Foundation
import StoreModel

/// An app receipt that was verified for this device, and when the store made it.
struct VerifiedReceipt: Sendable {
  let data: Data
  /// Signed. Of two receipts the later made counts, whichever arrives last.
  let creationDate: StoreDate
  /// What it lists.
  let transactionIDs: Set<TransactionID>
  /// When it was asked for.
  let askedAt: ReceiptOrder.Moment
}
