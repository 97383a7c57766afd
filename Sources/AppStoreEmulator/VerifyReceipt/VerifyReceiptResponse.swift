import Foundation
import SignedData
import StoreModel

/// The answer of `verifyReceipt` to an app receipt. Implements Apple's "responseBody" (App Store Receipts).
public struct VerifyReceiptResponse: Encodable, Sendable {
  public let status: VerifyReceiptStatus
  let environment: String?
  let receipt: ReceiptFields?

  /// An answer that says no more than why.
  public init(status: VerifyReceiptStatus) { self.init(status: status, environment: nil, receipt: nil) }

  init(status: VerifyReceiptStatus, environment: StoreEnvironment?, receipt: ReceiptFields?) {
    self.status = status
    self.environment = environment?.rawValue
    self.receipt = receipt
  }

  /// The body as it is sent: keys sorted, so that the same answer is always the same bytes.
  public func body() throws -> Data { try DeviceDoor.encoder().encode(self) }
}

/// `responseBody.Receipt`: numbers where Apple writes numbers, strings for the rest.
struct ReceiptFields: Encodable, Sendable {
  private var numbers: [String: Int64] = [:]
  private var strings: [String: String] = [:]
  private let inApp: [[String: String]]

  /// - Parameters:
  ///   - receipt: what was sent.
  ///   - records: the store's own records of the transactions it lists; they know what happened since.
  init(_ receipt: AppReceipt, records: [TransactionID: StoredTransaction], requestDate: StoreDate) {
    for key in ["adam_id", "app_item_id"] { numbers[key] = receipt.appItemID ?? 0 }
    numbers["download_id"] = receipt.downloadID ?? 0
    numbers["version_external_identifier"] = receipt.versionExternalIdentifier ?? 0
    strings["receipt_type"] = receipt.receiptType
    strings["bundle_id"] = receipt.bundleID.rawValue
    strings["application_version"] = receipt.applicationVersion
    strings["original_application_version"] = receipt.originalApplicationVersion
    inApp = receipt.inAppPurchases.map { purchase in
      records[purchase.transactionID].map { InAppFields.fields(of: $0.record) } ?? InAppFields.fields(of: purchase)
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

/// One element of `in_app`: every value is a string, and what does not apply is left out.
enum InAppFields {
  static func fields(of record: TransactionRecord) -> [String: String] {
    var fields = common(
      quantity: record.quantity, product: record.productID, transaction: record.transactionID,
      original: record.originalTransactionID, purchased: record.purchaseDate,
      originallyPurchased: record.originalPurchaseDate, expires: record.expiresDate, cancelled: record.revocationDate)
    fields["in_app_ownership_type"] = record.ownership.rawValue
    fields["is_trial_period"] = record.offerDiscountType == .freeTrial ? "true" : "false"
    fields["cancellation_reason"] = record.revocationDate.map { _ in
      String((record.revocationReason ?? .other).rawValue)
    }
    fields["web_order_line_item_id"] = record.webOrderLineItemID
    if record.type == .autoRenewableSubscription {
      // A free trial is told as a trial, not as an introductory price; receipts do the same.
      let isIntroductoryPrice = record.offerType == .introductory && record.offerDiscountType != .freeTrial
      fields["is_in_intro_offer_period"] = isIntroductoryPrice ? "true" : "false"
    }
    switch record.offerType {
    case .promotional, .winBack: fields["promotional_offer_id"] = record.offerIdentifier
    case .offerCode: fields["offer_code_ref_name"] = record.offerIdentifier
    case .introductory, nil: break
    }
    return fields
  }

  static func fields(of purchase: AppReceipt.InAppPurchase) -> [String: String] {
    common(
      quantity: Int(clamping: purchase.quantity), product: purchase.productID, transaction: purchase.transactionID,
      original: purchase.originalTransactionID, purchased: purchase.purchaseDate,
      originallyPurchased: purchase.originalPurchaseDate, expires: purchase.expiresDate,
      cancelled: purchase.cancellationDate)
  }

  private static func common(
    quantity: Int, product: ProductID, transaction: TransactionID, original: TransactionID, purchased: StoreDate?,
    originallyPurchased: StoreDate?, expires: StoreDate?, cancelled: StoreDate?
  ) -> [String: String] {
    var fields = [
      "quantity": String(quantity), "product_id": product.rawValue, "transaction_id": transaction.rawValue,
      "original_transaction_id": original.rawValue, "is_trial_period": "false",
    ]
    let dates = [
      ("purchase_date", purchased), ("original_purchase_date", originallyPurchased), ("expires_date", expires),
      ("cancellation_date", cancelled),
    ]
    for (name, date) in dates {
      guard let date else { continue }
      for (key, value) in DateTrio(date: date).fields(name) { fields[key] = value }
    }
    return fields
  }
}
