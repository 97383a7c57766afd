import Foundation
import OpenStoreKit
import SampleModel
import StoreKit

// The App Store on the phone. The app may use either StoreKit: both sell the same products.
extension RunningApp {
  /// Requests the products that the App Store shows, and the customer's subscriptions with their win-back offers.
  @MainActor
  func refreshAppStore() async {
    await refreshSubscriptions()
    do {
      let single = [SampleCatalog.fiveCredits, SampleCatalog.tenCredits, SampleCatalog.greyscale, SampleCatalog.sepia]
      let found = try await Product.products(for: single + SampleCatalog.clubPlans)
      let plan = found.lazy.compactMap(\.subscription).first
      var plans: [Product] = []
      if let plan { plans = try await device.subscriptionStore(group: plan.subscriptionGroupID) }
      let listing = AppStoreListing(
        products: single.compactMap { id in found.first { $0.id == id } }.map(Self.item), plans: plans.map(Self.item))
      appStore.value = .success(listing)
    } catch {
      appStore.value = .failure(error)
    }
  }

  private static func item(_ product: Product) -> AppStoreListing.Item {
    AppStoreListing.Item(
      productID: product.id, name: product.displayName.isEmpty ? "A new product" : product.displayName,
      text: product.description, price: product.displayPrice)
  }
}
