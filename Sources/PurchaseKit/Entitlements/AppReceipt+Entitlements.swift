import Foundation
import SignedData
import StoreModel

extension Verified<AppReceipt> {
  /// The entitlements of the receipt, one for each original transaction of a non-consumable or an auto-renewable
  /// subscription.
  ///
  /// A subscription has one transaction per period. It ends with the last period that was not revoked, and is revoked if all
  /// periods are. Purchases without a product type in the receipt are included.
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
    guard let latest = counting.max(by: { ($0.purchaseDate, $0.transactionID) < ($1.purchaseDate, $1.transactionID) })
    else { return nil }
    let expirations = counting.compactMap(\.expiresDate)
    return Entitlement(
      originalTransactionIdentifier: latest.originalTransactionID.rawValue,
      productIdentifier: latest.productID.rawValue, purchaseDate: latest.originalPurchaseDate.date,
      expirationDate: expirations.max()?.date,
      revocationDate: unrevoked.isEmpty ? purchases.compactMap(\.cancellationDate).max()?.date : nil,
      asOf: value.creationDate.date)
  }
}
