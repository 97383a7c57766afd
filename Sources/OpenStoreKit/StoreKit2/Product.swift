import Foundation
import StoreModel

/// A product of the App Store, in the language and currency of the customer's storefront. Implements Apple's `Product`.
///
/// Two products are equal if the store describes them equally.
public struct Product: Identifiable, Equatable, Hashable, Sendable, CustomDebugStringConvertible {
  public typealias ID = String

  let listing: ProductListing
  let origin: DeviceReference

  init(_ listing: ProductListing, on device: StoreKitDevice?) {
    self.listing = listing
    origin = DeviceReference(device)
  }

  /// The product identifier.
  public var id: String { listing.productID.rawValue }
  public var type: ProductType { ProductType(rawValue: listing.type.rawValue) }
  /// The name in the language of the storefront. Empty if it has none.
  public var displayName: String { listing.displayName }
  /// The description in the language of the storefront. Empty if it has none.
  public var description: String { listing.productDescription }
  /// The price in units of the storefront's currency.
  public var price: Decimal { listing.price.amount.decimal }
  /// The price as text, such as `$1.99`.
  public var displayPrice: String { listing.price.formatted(locale: Locale(identifier: listing.localeIdentifier)) }
  public var isFamilyShareable: Bool { listing.isFamilyShareable }
  /// Nil unless the product is an auto-renewable subscription.
  public var subscription: SubscriptionInfo? { SubscriptionInfo(listing, origin: origin) }

  public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }

  /// Requests products from the store. Ids that the store does not sell are left out, and the order is not defined. In a
  /// cancelled task, the result is empty.
  ///
  /// - Throws: ``StoreKitError``.
  public static func products<Identifiers>(for identifiers: Identifiers) async throws -> [Product]
  where Identifiers: Collection, Identifiers.Element == String {
    try await products(for: Array(identifiers), on: nil)
  }

  static func products(for identifiers: [String], on device: StoreKitDevice?) async throws -> [Product] {
    var seen: Set<ProductID> = []
    let ids = identifiers.map { ProductID($0) }.filter { seen.insert($0).inserted }
    guard !Task.isCancelled, !ids.isEmpty else { return [] }
    let device = try device ?? .orSystemError()
    do {
      try device.simulatedErrors.check(.loadProducts)
      return try await device.engine.products(ids).products.map { Product($0, on: device) }
    } catch {
      if Task.isCancelled { return [] }
      throw StoreKitError.general(error)
    }
  }

  /// As ``Transaction/latest(for:)``.
  public var latestTransaction: VerificationResult<Transaction>? {
    get async { await Transaction.latest(for: id, on: origin.device) }
  }

  /// The older form of ``currentEntitlements``: the newest of them.
  public var currentEntitlement: VerificationResult<Transaction>? {
    get async { await Transaction.currentEntitlement(for: id, on: origin.device) }
  }

  /// As ``Transaction/currentEntitlements(for:)``.
  public var currentEntitlements: Transaction.Transactions {
    Transaction.Transactions(.entitlements(id), on: origin.device)
  }
}
