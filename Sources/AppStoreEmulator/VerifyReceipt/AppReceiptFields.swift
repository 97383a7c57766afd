import SignedData
import StoreModel

/// The `receipt` of an answer for an app receipt. Values are numbers where Apple writes numbers, otherwise strings.
/// Implements Apple's "responseBody.Receipt".
///
/// `preorder_date` is always missing, because this store has no pre-orders.
struct AppReceiptFields: Encodable, Sendable {
  private var numbers: [String: Int64] = [:]
  private(set) var strings: [String: String] = [:]
  private let inApp: [[String: String]]

  /// - Parameters:
  ///   - receipt: the receipt in the request.
  ///   - records: the store's records of the listed transactions. They include later changes, such as refunds after the
  ///     receipt was made.
  init(_ receipt: AppReceipt, records: [TransactionID: TransactionRecord], requestDate: StoreDate) {
    for key in ["adam_id", "app_item_id"] { numbers[key] = receipt.appItemID ?? 0 }
    numbers["download_id"] = receipt.downloadID ?? 0
    numbers["version_external_identifier"] = receipt.versionExternalIdentifier ?? 0
    strings["receipt_type"] = receipt.receiptType
    strings["bundle_id"] = receipt.bundleID.rawValue
    strings["application_version"] = receipt.applicationVersion
    strings["original_application_version"] = receipt.originalApplicationVersion
    inApp = receipt.inAppPurchases.map { purchase in
      records[purchase.transactionID].map(InAppFields.fields(of:)) ?? InAppFields.fields(of: purchase)
    }
    add("receipt_creation_date", receipt.creationDate)
    add("request_date", requestDate)
    add("original_purchase_date", receipt.originalPurchaseDate)
    add("expiration_date", receipt.expirationDate)
  }

  private mutating func add(_ name: String, _ date: StoreDate?) {
    guard let date else { return }
    for (key, value) in DateTrio(date: date).fields(name) { strings[key] = value }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: FieldName.self)
    for (key, value) in numbers { try container.encode(value, forKey: FieldName(stringValue: key)) }
    for (key, value) in strings { try container.encode(value, forKey: FieldName(stringValue: key)) }
    try container.encode(inApp, forKey: FieldName(stringValue: "in_app"))
  }

  private struct FieldName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
