import SignedData
import StoreModel

/// The `receipt` of an answer for a legacy receipt: one transaction without nesting, every value a string. Implements
/// the answer in Apple's "In-App Purchase Programming Guide" for iOS 6; there is no newer document.
enum LegacyReceiptFields {
  /// The signed fields with the names of an answer, and the cancellation fields of the store's record.
  ///
  /// - Parameters:
  ///   - receipt: the receipt in the request. Its keys have hyphens where an answer has underscores. `expires-date` is
  ///     in milliseconds too.
  ///   - record: the store's record of the transaction; nil if there is none.
  static func fields(of receipt: LegacyReceipt, record: TransactionRecord?) -> [String: String] {
    let signed = receipt.fields.map { ($0.key.replacing("-", with: "_"), $0.value) }
    let fields = Dictionary(signed) { first, _ in first }
    return fields.merging(record.map(InAppFields.cancellation(of:)) ?? [:]) { $1 }
  }
}
