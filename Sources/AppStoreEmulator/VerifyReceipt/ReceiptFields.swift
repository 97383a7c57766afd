import SignedData
import StoreModel

/// The `receipt` of an answer for an app receipt. Values are numbers where Apple writes numbers, otherwise strings.
/// Implements Apple's "responseBody.Receipt".
///
/// `preorder_date` is always missing, because this store has no pre-orders.
struct AppReceiptFields: Sendable {
  /// The receipt in the request.
  let receipt: AppReceipt
  let transactions: ReceiptTransactions
  let requestDate: StoreDate

  /// - Parameter objects: the store's records, as written by ``InAppFields``. They include changes after the receipt was made.
  func write(to writer: inout JSONWriter, _ objects: WrittenObjects) {
    // The order of members is that of Apple's answers.
    writer.member("receipt_type", receipt.receiptType)
    for name in ["adam_id", "app_item_id"] as [StaticString] { writer.member(name, receipt.appItemID ?? 0) }
    writer.member("bundle_id", receipt.bundleID.rawValue)
    writer.member("application_version", receipt.applicationVersion)
    writer.member("download_id", receipt.downloadID ?? 0)
    writer.member("version_external_identifier", receipt.versionExternalIdentifier ?? 0)
    let dates: [(DateTrio.Names, StoreDate?)] = [
      (.receiptCreation, receipt.creationDate), (.request, requestDate),
      (.originalPurchase, receipt.originalPurchaseDate), (.expiration, receipt.expirationDate),
    ]
    for case (let names, let date?) in dates { DateTrio(date).put(names) { writer.member($0, $1) } }
    writer.member("original_application_version", receipt.originalApplicationVersion)
    var fields = InAppFields()
    writer.array("in_app", of: zip(receipt.inAppPurchases, transactions.listed)) { writer, listed in
      if let position = listed.1 {
        writer.members(objects, at: position)
      } else {
        fields.write(listed.0) { writer.member($0, $1) }
      }
    }
  }
}

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
