import Foundation
import SignedData
import StoreModel

@testable import AppStoreEmulator

/// Non-consumables and subscriptions of the tea app.
extension TeaShop {
  /// A non-consumable for 24 that a family may share.
  static let samovar: ProductID = "org.example.teahouse.samovar"
  /// A monthly subscription for 5, of the group "club".
  static let monthly: ProductID = "org.example.teahouse.club.monthly"
  /// A yearly subscription for 50, of the same group. A family may share it.
  static let yearly: ProductID = "org.example.teahouse.club.yearly"
  /// A free weekly subscription of another group.
  static let news: ProductID = "org.example.teahouse.news"
  /// A non-renewing subscription for 9.
  static let season: ProductID = "org.example.teahouse.season"

  /// The usual catalog with the non-consumables and subscriptions above.
  static func lastingCatalog() -> [ProductDefinition] {
    func subscription(
      _ id: ProductID, group: SubscriptionGroupID, _ period: String, price: Int64, shared: Bool = false
    ) -> ProductDefinition {
      ProductDefinition(
        productID: id, type: .autoRenewableSubscription, price: Milliunits(price), isFamilyShareable: shared,
        subscription: SubscriptionTerms(
          groupID: group, groupLevel: 1, period: CalendarPeriod(iso8601: period)!, offers: []))
    }
    return catalog() + [
      ProductDefinition(productID: samovar, type: .nonConsumable, price: Milliunits(24_000), isFamilyShareable: true),
      subscription(monthly, group: "club", "P1M", price: 5_000),
      subscription(yearly, group: "club", "P1Y", price: 50_000, shared: true),
      subscription(news, group: "news", "P1W", price: 0),
      ProductDefinition(productID: season, type: .nonRenewingSubscription, price: Milliunits(9_000)),
    ]
  }

  /// Returns a shop that sells ``lastingCatalog()``.
  static func lasting(seed: UInt64 = 7, directory: URL? = nil) async throws -> TeaShop {
    let shop = try await TeaShop(seed: seed, directory: directory)
    try await shop.sell(lastingCatalog())
    return shop
  }

  /// Returns the transactions that the installation restores, of all pages.
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
  /// The signed transaction of the delivery, not verified.
  var signed: SignedTransaction { get throws { try UnverifiedJWS(signedTransaction).transaction() } }
}
