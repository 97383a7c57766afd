import StoreModel

extension Product {
  /// The kind of a product. The raw values are those of signed transactions. Implements Apple's `Product.ProductType`.
  public struct ProductType: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let consumable = ProductType(rawValue: StoreModel.ProductType.consumable.rawValue)
    public static let nonConsumable = ProductType(rawValue: StoreModel.ProductType.nonConsumable.rawValue)
    public static let nonRenewable = ProductType(rawValue: StoreModel.ProductType.nonRenewingSubscription.rawValue)
    public static let autoRenewable = ProductType(rawValue: StoreModel.ProductType.autoRenewableSubscription.rawValue)

    public var localizedDescription: String { rawValue }
  }
}
