import StoreModel

/// What a customer has under the name of an entitlement, whichever product gives it. Documentation/offerings.md describes it.
public struct NamedEntitlement: Hashable, Codable, Sendable {
  public let name: EntitlementName
  /// Whether one of the customer's entitlements to a product with this name is active.
  public let isActive: Bool
  /// If it is active: when the last active entitlement ends; nil if one of them never ends. Otherwise when the last one has ended.
  public let accessUntil: StoreDate?
  /// If it is active: the products of the active entitlements. Otherwise all of the customer's products with this name. By id.
  public let products: [ProductID]
}

/// A page of a customer's entitlements, with what the customer has under each name.
public struct EntitlementPage: Sendable {
  /// The date at which access was judged, by the store's clock.
  public let date: StoreDate
  public let page: LedgerPage<LedgerEntitlement>
  /// By name, about all entitlements of the customer in the app; nil on all pages but the first.
  public let named: [NamedEntitlement]?
}

/// What a customer has under a name because of one product.
struct NamedProduct {
  let app: BundleID
  let name: EntitlementName
  let product: ProductID
  /// Whether one of the entitlements to the product is active.
  let isActive: Bool
  /// Whether one of the active entitlements never ends.
  let isEndless: Bool
  /// The latest end of the active entitlements that end.
  let accessUntil: StoreDate?
  /// The latest date at which an entitlement has ended, or its access has.
  let ended: StoreDate?
}

extension NamedEntitlement {
  /// - Parameter products: the products with the name; at least one.
  init(_ name: EntitlementName, _ products: [NamedProduct]) {
    let active = products.filter(\.isActive)
    let counting = active.isEmpty ? products : active
    self.name = name
    isActive = !active.isEmpty
    if active.isEmpty {
      accessUntil = products.compactMap(\.ended).max()
    } else if active.contains(where: \.isEndless) {
      accessUntil = nil
    } else {
      accessUntil = active.compactMap(\.accessUntil).max()
    }
    self.products = counting.map(\.product).sorted()
  }

  /// Returns what the products of one app give, by name.
  static func all(_ products: [NamedProduct]) -> [NamedEntitlement] {
    Dictionary(grouping: products, by: \.name).map { NamedEntitlement($0.key, $0.value) }.sorted { $0.name < $1.name }
  }
}
