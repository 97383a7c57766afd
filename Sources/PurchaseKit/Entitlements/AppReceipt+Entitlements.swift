import Foundation
import SignedData
import StoreModel

extension Verified<AppReceipt> {
  /// The entitlements of the receipt, one for each original transaction of a non-consumable or an auto-renewable
  /// subscription.
  ///
  /// A subscription has one transaction per period. The newest period that was not revoked has its product and its end.
  /// If all periods are revoked, the newest one has its revocation date. Purchases without a product type in the receipt
  /// are included.
  ///
  /// With Family Sharing, a customer can have several subscriptions of one group: one that the customer bought, and one
  /// from each relative. Each has its own original transaction, and ends by itself.
  public var entitlements: [Entitlement] {
    let restorable = value.inAppPurchases.filter { purchase in
      switch purchase.rawProductType {
      case nil, 0, 3: true
      default: false
      }
    }
    return Dictionary(grouping: restorable, by: \.originalTransactionID).values
      .compactMap(entitlement).sorted { $0.originalTransactionIdentifier < $1.originalTransactionIdentifier }
  }

  private func entitlement(_ purchases: [AppReceipt.InAppPurchase]) -> Entitlement? {
    let unrevoked = purchases.filter { $0.cancellationDate == nil }
    let counting = unrevoked.isEmpty ? purchases : unrevoked
    guard let newest = counting.max(by: { ($0.purchaseDate, $0.transactionID) < ($1.purchaseDate, $1.transactionID) })
    else { return nil }
    // A restored period can have a second transaction id. The one that ends later is used, as by the purchase server.
    let current =
      counting.filter { $0.productID == newest.productID && $0.purchaseDate == newest.purchaseDate }
      .max { ($0.end, $0.transactionID) < ($1.end, $1.transactionID) }
      ?? newest
    return Entitlement(
      originalTransactionIdentifier: current.originalTransactionID.rawValue,
      productIdentifier: current.productID.rawValue, purchaseDate: current.originalPurchaseDate.date,
      expirationDate: current.expiresDate?.date, revocationDate: current.cancellationDate?.date,
      asOf: value.creationDate.date)
  }
}

extension AppReceipt.InAppPurchase {
  /// The end of a subscription period, for comparisons.
  fileprivate var end: Int64 { expiresDate?.millisecondsSince1970 ?? .min }
}
