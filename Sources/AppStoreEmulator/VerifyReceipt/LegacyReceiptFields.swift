import SignedData
import StoreModel

/// The `receipt` of a legacy receipt: one flat transaction, every value a string. Implements the answer that Apple's
/// "In-App Purchase Programming Guide" described for iOS 6, for which no newer document stands.
enum LegacyReceiptFields {
  /// What is signed, under the names of an answer, and what the store knows of the transaction since.
  ///
  /// - Parameters:
  ///   - receipt: what was sent. Its entries are an answer's, but for hyphens where an answer has underscores:
  ///     `expires-date`, too, is milliseconds there.
  ///   - record: the store's own record of the transaction; nil where it has none.
  static func fields(of receipt: LegacyReceipt, record: TransactionRecord?) -> [String: String] {
    let signed = receipt.fields.map { ($0.key.replacing("-", with: "_"), $0.value) }
    let fields = Dictionary(signed) { first, _ in first }
    return fields.merging(record.map(InAppFields.cancellation(of:)) ?? [:]) { $1 }
  }
}
