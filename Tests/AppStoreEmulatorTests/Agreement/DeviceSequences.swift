import Foundation
import SignedData
import StoreModel

@testable import OpenStoreKit

/// What an app of StoreKit 2 on a phone sees of its customer: `Transaction.all`, `currentEntitlements` and the statuses.
struct DeviceSequences {
  struct Item {
    let id: String
    let purchaseDate: Date
    /// The signed members, and the properties that apps read.
    let shown: [ShownTransaction]
  }

  struct Status {
    let original: String
    /// The newest transaction of the subscription.
    let transaction: String
    let state: Int
  }

  private(set) var all: [Item] = []
  /// The ids of the entitlements.
  private(set) var entitlements: [String] = []
  private(set) var statuses: [Status] = []
  /// What is not current, or was not verified.
  private(set) var problems: [String] = []

  init(of device: StoreKitDevice) async throws {
    // A list refreshes for a second at most, which a busy machine may need.
    if case .stale(let error) = await device.engine.refresh(waiting: .seconds(600)) {
      problems.append("StoreKit 2 is not current: \(error)")
    }
    for await result in Transaction.Transactions(.all(nil), on: device) {
      guard case .verified(let transaction) = result else {
        problems.append("StoreKit 2 lists \(result.unsafePayloadValue.id), which is not verified")
        continue
      }
      all.append(
        Item(
          id: String(transaction.id), purchaseDate: transaction.purchaseDate,
          shown: [
            try ShownTransaction("StoreKit 2", jws: result.jwsRepresentation), ShownTransaction(transaction),
          ]))
    }
    for await result in Transaction.Transactions(.entitlements(nil), on: device) {
      entitlements.append(String(result.unsafePayloadValue.id))
    }
    for await group in SubscriptionStatus.all(on: device) {
      for status in group.statuses {
        statuses.append(
          Status(
            original: String(status.renewalInfo.unsafePayloadValue.originalTransactionID),
            transaction: String(status.transaction.unsafePayloadValue.id), state: status.state.rawValue))
      }
    }
  }
}

extension ShownTransaction {
  /// The properties of a transaction of StoreKit 2.
  init(_ transaction: Transaction) {
    func text(_ date: Date?) -> String? { date.map { "\(Int64(($0.timeIntervalSince1970 * 1_000).rounded()))" } }
    var members = [
      "transactionId": String(transaction.id), "originalTransactionId": String(transaction.originalID),
      "productId": transaction.productID, "bundleId": transaction.appBundleID,
      "type": transaction.productType.rawValue, "quantity": "\(transaction.purchasedQuantity)",
      "inAppOwnershipType": transaction.ownershipType.rawValue, "environment": transaction.environment.rawValue,
      "storefront": transaction.storefront.countryCode, "storefrontId": transaction.storefront.id,
      "transactionReason": transaction.reason.rawValue, "appTransactionId": transaction.appTransactionID,
    ]
    members["purchaseDate"] = text(transaction.purchaseDate)
    members["originalPurchaseDate"] = text(transaction.originalPurchaseDate)
    members["expiresDate"] = text(transaction.expirationDate)
    members["subscriptionGroupIdentifier"] = transaction.subscriptionGroupID
    members["webOrderLineItemId"] = transaction.webOrderLineItemID
    members["appAccountToken"] = transaction.appAccountToken?.uuidString.lowercased()
    members["isUpgraded"] = transaction.isUpgraded ? "true" : nil
    members["price"] = transaction.price.map { "\($0 * 1_000)" }
    members["currency"] = transaction.currencyCode
    members["revocationDate"] = text(transaction.revocationDate)
    members["revocationReason"] = transaction.revocationReason.map { "\($0.rawValue)" }
    members["revocationType"] = transaction.revocationType?.rawValue
    members["revocationPercentage"] = transaction.revocationPercentage.map { "\($0 * 1_000)" }
    members["offerType"] = transaction.offer.map { "\($0.type.rawValue)" }
    members["offerIdentifier"] = transaction.offer?.id
    members["offerDiscountType"] = transaction.offer?.paymentMode?.rawValue
    members["offerPeriod"] = transaction.offerPeriodStringRepresentation
    api = "StoreKit 2's properties"
    self.members = members
    names = Self.namesOfProperties
  }

  private static let namesOfProperties: Set = [
    "transactionId", "originalTransactionId", "productId", "bundleId", "type", "quantity", "inAppOwnershipType",
    "environment", "storefront", "storefrontId", "transactionReason", "appTransactionId", "purchaseDate",
    "originalPurchaseDate", "expiresDate", "subscriptionGroupIdentifier", "webOrderLineItemId", "appAccountToken",
    "isUpgraded", "price", "currency", "revocationDate", "revocationReason", "revocationType", "revocationPercentage",
    "offerType", "offerIdentifier", "offerDiscountType", "offerPeriod",
  ]
}
