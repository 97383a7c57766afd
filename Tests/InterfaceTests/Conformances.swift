// What clients of StoreKit 2 write, with nothing but `import StoreKit`. It is here to be compiled: an additional conformance
// or name of the module would make it an error.

import StoreKit

/// A type of the app's own beside `StoreKit.Transaction`, as SwiftUI's.
struct Transaction: Hashable {
  let value: StoreKit.Transaction
}

extension StoreKitError: Equatable {
  public static func == (left: StoreKitError, right: StoreKitError) -> Bool { "\(left)" == "\(right)" }
}

protocol ShownProduct {
  var id: String { get }
  var displayName: String { get }
  var displayPrice: String { get }
}

protocol BoughtProduct {
  var id: UInt64 { get }
  var productID: String { get }
  func finish() async
}

protocol Described {}

extension Product: ShownProduct, Described {}
extension StoreKit.Transaction: BoughtProduct, Described {}
extension PurchaseIntent: Described {}
extension Message: Described {}
extension Product.SubscriptionInfo.Status: Described {}
extension Storefront: Equatable {
  public static func == (left: Storefront, right: Storefront) -> Bool { left.id == right.id }
}

typealias SK2Product = StoreKit.Product
typealias SK2Transaction = StoreKit.Transaction

/// A switch over all cases of 26.4, as apps write it.
func name(_ result: Product.PurchaseResult) -> String {
  switch result {
  case .success(.verified(let transaction)): "verified \(transaction.id)"
  case .success(.unverified(_, let error)): "unverified \(error)"
  case .userCancelled: "cancelled"
  case .pending: "pending"
  }
}

func name(_ error: Product.PurchaseError) -> String {
  switch error {
  case .invalidQuantity, .productUnavailable, .purchaseNotAllowed, .ineligibleForOffer: "purchase"
  case .invalidOfferIdentifier, .invalidOfferPrice, .invalidOfferSignature, .missingOfferParameters: "offer"
  #if compiler(>=6.3.2)
    case .paymentMethodBindingConfigurationRequired: "payment method"
  #endif
  }
}

func name(_ error: StoreKitError) -> String {
  switch error {
  case .unknown, .userCancelled, .notAvailableInStorefront, .notEntitled, .unsupported: "\(error)"
  case .networkError(let error): "network \(error.code)"
  case .systemError(let error): "system \(error)"
  }
}

/// Open sets need a default.
func hasAccess(_ state: Product.SubscriptionInfo.RenewalState) -> Bool {
  switch state {
  case .subscribed, .inGracePeriod: true
  default: false
  }
}

/// A store as apps write it, on the main actor.
@MainActor final class ClientStore {
  private(set) var products: [Product] = []
  private var updates: Task<Void, any Error>?

  init() {
    updates = Task.detached {
      for await result in StoreKit.Transaction.updates {
        let transaction = try result.payloadValue
        await self.deliver(transaction)
        await transaction.finish()
      }
    }
  }

  func load() async throws { products = try await Product.products(for: Set(["a", "b"])) }

  func deliver(_ transaction: StoreKit.Transaction) {}

  func buy(_ product: Product) async throws -> String { name(try await product.purchase()) }

  /// The format styles' types are inferred.
  func texts(_ product: Product) -> [String] {
    guard let period = product.subscription?.subscriptionPeriod else { return [] }
    return [
      product.price.formatted(product.priceFormatStyle), period.formatted(product.subscriptionPeriodFormatStyle),
      period.unit.formatted(product.subscriptionPeriodUnitFormatStyle),
    ]
  }

  @available(iOS 26.4, macOS 26.4, *)
  func plans(_ product: Product) -> [Product.SubscriptionInfo.BillingPlanType] {
    #if compiler(>=6.3)
      return product.subscription?.pricingTerms.map(\.billingPlanType) ?? []
    #else
      return []
    #endif
  }
}
