import StoreModel

@testable import OpenStoreKit
@testable import PurchaseKit

extension StoreKit2Calls {
  /// The functions of StoreKit 2 on a device that is not the current one, so that tests run at the same time.
  ///
  /// - Parameter requested: called with the products of each request.
  static func on(_ device: StoreKitDevice, requested: @escaping @Sendable (Set<String>) -> Void = { _ in }) -> Self {
    StoreKit2Calls(
      products: {
        requested($0)
        return try await Product.products(for: Array($0), on: device)
      }, updates: { Transaction.Transactions(.updates, on: device) },
      unfinished: { Transaction.Transactions(.unfinished, on: device) },
      all: { Transaction.Transactions(.all(nil), on: device) },
      currentEntitlements: { Transaction.Transactions(.entitlements(nil), on: device) },
      statuses: {
        var all: [Product.SubscriptionInfo.Status] = []
        for await group in Product.SubscriptionInfo.Status.all(on: device) { all += group.statuses }
        return all
      }, storefronts: { Storefront.Storefronts(on: device) },
      receiveIntents: { StoreKit2Calls.receive(PurchaseIntent.PurchaseIntents(on: device), $0) },
      synchronize: { try await AppStore.sync(on: device) }, canMakePayments: { device.paymentsAllowed },
      openPayments: { device.openPayments.map(OpenPurchase.init) })
  }
}
