import Foundation
import OpenStoreKit
import SignedData
import StoreModel

/// A transaction as one API shows it, with the names of the signed transaction.
struct ShownTransaction {
  let api: String
  let members: [String: String]
  /// The names that this API has; nil for all of the signed transaction.
  var names: Set<String>?

  var id: String { members["transactionId"] ?? "" }

  /// The members that differ from those of the Server API.
  func differences(from reference: [String: String]) -> [String] {
    (names ?? Set(members.keys).union(reference.keys).subtracting(Self.derived)).sorted().compactMap { name in
      members[name] == reference[name]
        ? nil
        : "\(api), \(id), \(name): \(members[name] ?? "nothing"), Server API: \(reference[name] ?? "nothing")"
    }
  }

  /// The members of receipts that follow from those of a signed transaction.
  private static let derived: Set = [
    "cancellationDate", "cancellationReason", "isTrialPeriod", "isInIntroOfferPeriod", "receiptOfferId",
    "promotionalOfferId",
    "offerCodeName",
  ]

  /// The members of a signed transaction, and those of receipts that follow from them.
  ///
  /// - Parameter upgradeDate: when the customer upgraded to another plan. Receipts show it as a cancellation, and a signed transaction
  ///   as `isUpgraded`.
  static func reference(_ signed: [String: String], upgradeDate: StoreDate?) -> [String: String] {
    var members = signed
    members["signedDate"] = nil
    members["cancellationDate"] = signed["revocationDate"] ?? upgradeDate?.text
    members["cancellationReason"] = members["cancellationDate"].map { _ in signed["revocationReason"] ?? "0" }
    let isTrial = signed["offerDiscountType"] == "FREE_TRIAL"
    members["isTrialPeriod"] = "\(isTrial)"
    members["isInIntroOfferPeriod"] = "\(signed["offerType"] == "1" && !isTrial)"
    let (type, identifier) = (signed["offerType"], signed["offerIdentifier"])
    members["receiptOfferId"] = type == "2" ? identifier : nil
    members["promotionalOfferId"] = type == "2" || type == "4" ? identifier : nil
    members["offerCodeName"] = type == "3" ? identifier : nil
    return members
  }

  /// The members that differ from one signature to the next. Only devices receive a device proof.
  static let ofSignature = ["signedDate", "deviceVerification", "deviceVerificationNonce"]

  init(_ api: String, jws: String) throws {
    self.api = api
    var members = try JSONMembers(jws: jws).values
    for name in Self.ofSignature { members[name] = nil }
    self.members = members
  }

  init(_ purchase: AppReceipt.InAppPurchase) {
    api = "app receipt"
    var members = [
      "transactionId": purchase.transactionID.rawValue,
      "originalTransactionId": purchase.originalTransactionID.rawValue,
      "productId": purchase.productID.rawValue, "quantity": "\(purchase.quantity)",
      "purchaseDate": purchase.purchaseDate.text, "originalPurchaseDate": purchase.originalPurchaseDate.text,
    ]
    members["type"] = purchase.productType?.rawValue
    members["expiresDate"] = purchase.expiresDate?.text
    members["cancellationDate"] = purchase.cancellationDate?.text
    members["isTrialPeriod"] = purchase.isTrialPeriod.map { "\($0)" }
    members["isInIntroOfferPeriod"] = purchase.isInIntroductoryOfferPeriod.map { "\($0)" }
    members["receiptOfferId"] = purchase.promotionalOfferID
    members["webOrderLineItemId"] = purchase.webOrderLineItemID.flatMap { $0 == 0 ? nil : "\($0)" }
    self.members = members
    names = [
      "transactionId", "originalTransactionId", "productId", "quantity", "purchaseDate", "originalPurchaseDate", "type",
      "expiresDate", "cancellationDate", "isTrialPeriod", "isInIntroOfferPeriod", "receiptOfferId",
      "webOrderLineItemId",
    ]
  }

  private static let verifyReceiptNames = [
    "transaction_id": "transactionId", "original_transaction_id": "originalTransactionId", "product_id": "productId",
    "quantity": "quantity", "purchase_date_ms": "purchaseDate", "original_purchase_date_ms": "originalPurchaseDate",
    "expires_date_ms": "expiresDate", "cancellation_date_ms": "cancellationDate",
    "cancellation_reason": "cancellationReason", "in_app_ownership_type": "inAppOwnershipType",
    "is_trial_period": "isTrialPeriod", "web_order_line_item_id": "webOrderLineItemId",
    "promotional_offer_id": "promotionalOfferId", "offer_code_ref_name": "offerCodeName",
  ]
  /// Elements of `latest_receipt_info` have more.
  private static let latestNames = [
    "subscription_group_identifier": "subscriptionGroupIdentifier", "app_account_token": "appAccountToken",
    "is_upgraded": "isUpgraded",
  ]

  /// An element of `in_app` or of `latest_receipt_info`.
  init(verifyReceipt fields: [String: String], isLatest: Bool) {
    api = isLatest ? "latest_receipt_info" : "verifyReceipt's in_app"
    let known = Self.verifyReceiptNames.merging(isLatest ? Self.latestNames : [:]) { $1 }
    var names = Set(known.values)
    var members = Dictionary(uniqueKeysWithValues: known.compactMap { key, name in fields[key].map { (name, $0) } })
    if let isIntroductory = fields["is_in_intro_offer_period"] {
      names.insert("isInIntroOfferPeriod")
      members["isInIntroOfferPeriod"] = isIntroductory
    }
    (self.members, self.names) = (members, names)
  }

  /// A legacy receipt. It never changes, but the end of a period and its cancellation do.
  init(legacy receipt: LegacyReceipt) {
    api = "legacy receipt"
    let known = [
      "transaction-id": "transactionId", "original-transaction-id": "originalTransactionId", "product-id": "productId",
      "quantity": "quantity", "purchase-date-ms": "purchaseDate", "original-purchase-date-ms": "originalPurchaseDate",
      "bid": "bundleId",
    ]
    let ofPeriods = [
      "web-order-line-item-id": "webOrderLineItemId", "is-trial-period": "isTrialPeriod",
      "is-in-intro-offer-period": "isInIntroOfferPeriod",
      "subscription-group-identifier": "subscriptionGroupIdentifier",
      "in-app-ownership-type": "inAppOwnershipType",
    ]
    let all = receipt.expiresDate == nil ? known : known.merging(ofPeriods) { $1 }
    members = Dictionary(uniqueKeysWithValues: all.compactMap { key, name in receipt[key].map { (name, $0) } })
    names = Set(all.values)
  }

  /// A transaction of the payment queue.
  init(_ transaction: SKPaymentTransaction) {
    api = "StoreKit 1"
    func text(_ date: Date?) -> String? { date.map { "\(Int64(($0.timeIntervalSince1970 * 1_000).rounded()))" } }
    var members = [
      "productId": transaction.payment.productIdentifier, "quantity": "\(transaction.payment.quantity)",
    ]
    members["transactionId"] = transaction.transactionIdentifier
    members["purchaseDate"] = text(transaction.transactionDate)
    members["originalTransactionId"] =
      transaction.original?.transactionIdentifier ?? transaction.transactionIdentifier
    members["originalPurchaseDate"] = text(transaction.original?.transactionDate ?? transaction.transactionDate)
    self.members = members
    names = [
      "productId", "quantity", "transactionId", "purchaseDate", "originalTransactionId", "originalPurchaseDate",
    ]
  }
}
