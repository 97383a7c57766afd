import Foundation
import StoreModel

/// A transaction as the model of a history knows it.
struct ClubTransaction {
  struct Revocation {
    let date: StoreDate
    let reason: Int
    let type: String
    var percentage: Int?
  }

  /// Its number in the model.
  let number: Int
  /// The number of the first transaction of the purchase.
  let original: Int
  let person: Person
  let product: ProductID
  let type: ProductType
  let purchaseDate: StoreDate
  let originalPurchaseDate: StoreDate
  var expiresDate: StoreDate?
  var quantity = 1
  /// In milliunits.
  let price: Int64
  let isRenewal: Bool
  /// The token that the app's payment had.
  var appToken: UUID?
  /// The token that the developer's server has set.
  var serverToken: UUID?
  var offer: SubscriptionOffer?
  /// The number of the relative's transaction, of a family share.
  var sharedFrom: Int?
  var revocation: Revocation?
  var upgradeDate: StoreDate?

  var token: UUID? { serverToken ?? appToken }
  var plan: ClubCatalog.Plan? { ClubCatalog.plan(product) }

  /// Whether the person owns the product by it.
  func isOwned(at date: StoreDate) -> Bool {
    guard revocation == nil, upgradeDate == nil else { return false }
    switch type {
    case .nonConsumable: return true
    case .autoRenewableSubscription: return expiresDate.map { $0 > date } == true
    case .consumable, .nonRenewingSubscription: return false
    }
  }

  /// The members of the signed transaction ("JWSTransactionDecodedPayload"), without those that only the store knows: its ids, and
  /// the date of signing. `signed-data.md`, section 2.
  var members: [String: String] {
    var members = [
      "bundleId": TeaShop.app.rawValue, "productId": product.rawValue, "type": type.rawValue,
      "purchaseDate": purchaseDate.text, "originalPurchaseDate": originalPurchaseDate.text, "quantity": "\(quantity)",
      "inAppOwnershipType": sharedFrom == nil ? "PURCHASED" : "FAMILY_SHARED",
      "environment": person.environment.rawValue, "storefront": "USA", "storefrontId": "143441", "price": "\(price)",
      "currency": "USD", "transactionReason": isRenewal ? "RENEWAL" : "PURCHASE",
    ]
    members["subscriptionGroupIdentifier"] = plan?.group.rawValue
    members["expiresDate"] = expiresDate?.text
    members["appAccountToken"] = token?.uuidString.lowercased()
    members["isUpgraded"] = upgradeDate.map { _ in "true" }
    members["revocationDate"] = revocation?.date.text
    members["revocationReason"] = revocation.map { "\($0.reason)" }
    members["revocationType"] = revocation?.type
    members["revocationPercentage"] = revocation?.percentage.map { "\($0)" }
    return members.merging(offer?.members ?? [:]) { $1 }
  }
}

extension SubscriptionOffer {
  /// The members with which transactions and renewal information show an offer.
  var members: [String: String] {
    let (type, mode): (Int, String) =
      switch (kind, paymentMode) {
      case (.introductory, .freeTrial): (1, "FREE_TRIAL")
      case (.introductory, .payAsYouGo): (1, "PAY_AS_YOU_GO")
      case (.introductory, .payUpFront): (1, "PAY_UP_FRONT")
      case (.promotional, _): (2, "PAY_AS_YOU_GO")
      case (.offerCode, _): (3, "PAY_UP_FRONT")
      case (.winBack, _): (4, "PAY_AS_YOU_GO")
      }
    var members = ["offerType": "\(type)", "offerDiscountType": mode]
    members["offerIdentifier"] = identifier
    members["offerPeriod"] = period.unit == .week ? "P\(period.value)W" : "P\(period.value)D"
    return members
  }

  /// The length of one of its periods, in seconds.
  var seconds: Int64 { Int64(period.value) * (period.unit == .week ? 7 : 1) * 86_400 }
}

extension StoreDate {
  var text: String { "\(millisecondsSince1970)" }
}
