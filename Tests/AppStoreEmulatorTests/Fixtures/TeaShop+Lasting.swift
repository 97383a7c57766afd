import Foundation
import SignedData
import StoreModel

@testable import AppStoreEmulator

/// What lasts in the tea app.
extension TeaShop {
  /// A non-consumable of 24 that a family may share.
  static let samovar: ProductID = "org.example.teahouse.samovar"
  /// A month's subscription of 5, of the group "club".
  static let monthly: ProductID = "org.example.teahouse.club.monthly"
  /// A year's subscription of 50, of the same group, shareable.
  static let yearly: ProductID = "org.example.teahouse.club.yearly"
  /// A week's free subscription of a group of its own.
  static let news: ProductID = "org.example.teahouse.news"
  /// A season ticket of 9, which does not renew.
  static let season: ProductID = "org.example.teahouse.season"

  /// The usual catalog and all that lasts.
  static func lastingCatalog() -> [ProductDefinition] {
    func subscription(
      _ id: ProductID, group: SubscriptionGroupID, _ period: String, price: Int64, shared: Bool = false
    ) -> ProductDefinition {
      ProductDefinition(
        productID: id, type: .autoRenewableSubscription, price: Milliunits(price), isFamilyShareable: shared,
        subscription: SubscriptionTerms(
          groupID: group, groupLevel: 1, period: SubscriptionPeriod(iso8601: period)!, offers: []))
    }
    return catalog() + [
      ProductDefinition(productID: samovar, type: .nonConsumable, price: Milliunits(24_000), isFamilyShareable: true),
      subscription(monthly, group: "club", "P1M", price: 5_000),
      subscription(yearly, group: "club", "P1Y", price: 50_000, shared: true),
      subscription(news, group: "news", "P1W", price: 0),
      ProductDefinition(productID: season, type: .nonRenewingSubscription, price: Milliunits(9_000)),
    ]
  }

  /// A shop that sells all of it.
  static func lasting(seed: UInt64 = 7, directory: URL? = nil) async throws -> TeaShop {
    let shop = try await TeaShop(seed: seed, directory: directory)
    try await shop.sell(lastingCatalog())
    return shop
  }

  /// What the installation restores, over all pages.
  func restored(on phone: Phone, username: String? = nil) async throws -> [TransactionDelivery] {
    var deliveries: [TransactionDelivery] = []
    var cursor: RestoreCursor?
    repeat {
      let page = try await store.restore(after: cursor, applicationUsername: username, for: phone.id)
      deliveries += page.batch.deliveries
      cursor = page.next
    } while cursor != nil
    return deliveries
  }

  func appReceipt(on phone: Phone) async throws -> AppReceipt {
    try UnverifiedAppReceipt(try await store.refreshReceipt(for: phone.id)).receipt
  }
}

extension TransactionDelivery {
  /// What is signed in it.
  var signed: SignedTransaction { get throws { try UnverifiedJWS(signedTransaction).transaction() } }
}
