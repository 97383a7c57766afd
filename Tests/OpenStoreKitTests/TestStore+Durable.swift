import AppStoreEmulator
import Crypto
import Foundation
import StoreModel

@testable import OpenStoreKit

/// Non-consumables and a subscription of the test app.
extension TestStore {
  static let sepia = "com.example.credits.sepia"
  static let greyscale = "com.example.credits.greyscale"
  static let monthly = "com.example.credits.monthly"
  /// A plan of a lower level than ``monthly``.
  static let basic = "com.example.credits.basic"

  /// Signs promotional offers.
  static let offerKey = P256.Signing.PrivateKey()
  static let offerKeyID = "0FFE2001"

  /// Returns a store that sells credits, two filters, a subscription of two plans, and `more` other non-consumables.
  static func lasting(more: Int = 0, seed: UInt64 = 1) async throws -> TestStore {
    let test = try await TestStore(seed: seed)
    let more = (0..<more).map {
      #", {"productID": "\#(bundleID).thing\#($0)", "type": "NonConsumable", "displayPrice": "1.00", "internalID": "C\#($0)"}"#
    }
    let text = """
      {"identifier": "2", "products": [
        {"productID": "\(five)", "type": "Consumable", "displayPrice": "0.99", "internalID": "A1"},
        {"productID": "\(sepia)", "type": "NonConsumable", "displayPrice": "2.99", "internalID": "B1", "familyShareable": true,
         "localizations": [{"locale": "en_US", "displayName": "Sepia", "description": "Brown"}]},
        {"productID": "\(greyscale)", "type": "NonConsumable", "displayPrice": "2.99", "internalID": "B2"}\(more.joined())
      ], "subscriptionGroups": [{"id": "G", "name": "Club", "localizations": [], "subscriptions": [
        {"productID": "\(monthly)", "type": "RecurringSubscription", "displayPrice": "4.99", "internalID": "S1",
         "groupNumber": 1, "subscriptionGroupID": "G", "recurringSubscriptionPeriod": "P1M", "referenceName": "Monthly",
         "localizations": [], "adHocOffers": [{"internalID": "O1", "offerID": "half", "referenceName": "Half price",
         "paymentMode": "payAsYouGo", "subscriptionPeriod": "P1M", "numberOfPeriods": 3, "displayPrice": "2.49"}], "codeOffers": [{"internalID": "O2", "referenceName": "TEA", "paymentMode": "free",
         "subscriptionPeriod": "P1M", "eligibility": ["expired"]}], "introductoryOffer": null, "winbackOffers":
         [{"internalID": "O3", "offerID": "back", "referenceName": "Back", "paymentMode": "payUpFront",
         "subscriptionPeriod": "P2M", "displayPrice": "1.49", "isEligible": true}]},
        {"productID": "\(basic)", "type": "RecurringSubscription", "displayPrice": "1.99", "internalID": "S2",
         "groupNumber": 2, "subscriptionGroupID": "G", "recurringSubscriptionPeriod": "P1M", "referenceName": "Basic",
         "localizations": [], "adHocOffers": [], "codeOffers": [], "introductoryOffer": null}
      ]}], "nonRenewingSubscriptions": [], "subscriptionOffersKeyPair":
       {"id": "\(offerKeyID)", "privateKey": "\(offerKey.derRepresentation.base64EncodedString())"}, "settings": {}, "version": {"major": 4, "minor": 0}}
      """
    try await test.store.serve(
      bundleID, catalog: [try StoreKitConfiguration(data: Data(text.utf8), name: "lasting.storekit")])
    return test
  }

  /// Buys a product for the customer on another device and finishes it, as if the customer had lost that device.
  @discardableResult
  func boughtLongAgo(_ product: String, for account: AccountName = "customer") async throws -> TransactionID {
    let installation = InstallationID("lost device of \(account)")
    _ = try await store.register(
      InstallationRegistration(
        installationID: installation, bundleID: Self.bundleID, environment: .sandbox, deviceID: Self.lostDevice,
        applicationVersion: "1"))
    let id = try await store.purchase(
      ProductID(product), of: Self.bundleID, for: account, in: .sandbox, installationID: installation
    ).record.transactionID
    try await store.finish(id, for: installation)
    return id
  }

  private static let lostDevice = UUID()
}
