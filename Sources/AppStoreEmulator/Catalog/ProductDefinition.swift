import Foundation
import StoreModel

/// The definition of one product, for all storefronts and languages.
///
/// `subscription` is present if and only if the type is auto-renewable. A free subscription has a price of zero.
public struct ProductDefinition: Hashable, Sendable {
  /// The texts of a product, or of a subscription group, in one language.
  public struct Localization: Hashable, Codable, Sendable {
    /// A locale identifier, such as `en_US` or `pt-BR`.
    public let locale: String
    /// Empty if the product has no name in this language.
    public let displayName: String
    /// Empty if the product has no description in this language.
    public let description: String

    public init(locale: String, displayName: String, description: String) {
      self.locale = locale
      self.displayName = displayName
      self.description = description
    }
  }

  /// Not empty, and unique within one app.
  public let productID: ProductID
  /// The developer's label. Customers never see it.
  public var referenceName: String
  public let type: ProductType
  /// The price of one item, in thousandths of a unit of the currency of the catalog's storefront. Prices of other
  /// storefronts are converted from it; see ``price(in:of:)``.
  public var price: Milliunits
  /// Prices that replace ``price`` in individual storefronts, in the storefront's own currency, by alpha-3 country code
  /// such as `DEU`.
  ///
  /// Configuration files contain no such prices.
  public var prices: [String: Milliunits]
  public var isFamilyShareable: Bool
  /// The App Store's internal identifier of the product. It is not always unique, and is not used for lookups.
  public let internalID: String
  /// Ordered by preference. If two are for the same locale, the first is shown.
  public var localizations: [Localization]
  /// The texts of the subscription group, ordered by preference. Empty for other products, and in catalogs of earlier
  /// versions.
  public var groupLocalizations: [Localization]
  /// Present for auto-renewable subscriptions only.
  public let subscription: SubscriptionTerms?
  /// Whether customers may redeem a win-back offer, by the identifier of the offer.
  ///
  /// An entry overrides the usual criteria, which apply to offers without an entry.
  public var winBackEligibility: [String: Bool]
  /// The names of the offer codes that may be combined with an introductory offer.
  public var stackableOfferCodes: Set<String>

  /// - Parameters:
  ///   - productID: not empty.
  ///   - price: not negative.
  ///   - internalID: if nil, it is computed from `productID`.
  ///   - subscription: present if and only if `type` is `autoRenewableSubscription`.
  public init(
    productID: ProductID, referenceName: String = "", type: ProductType, price: Milliunits,
    prices: [String: Milliunits] = [:], isFamilyShareable: Bool = false, internalID: String? = nil,
    localizations: [Localization] = [], groupLocalizations: [Localization] = [],
    subscription: SubscriptionTerms? = nil,
    winBackEligibility: [String: Bool] = [:], stackableOfferCodes: Set<String> = []
  ) {
    precondition(!productID.rawValue.isEmpty, "a product has an identifier")
    precondition(price >= .zero && prices.values.allSatisfy { $0 >= .zero }, "a price is not negative")
    precondition(
      (type == .autoRenewableSubscription) == (subscription != nil),
      "auto-renewable subscriptions, and only they, have subscription terms")
    self.productID = productID
    self.referenceName = referenceName
    self.type = type
    self.price = price
    self.prices = prices
    self.isFamilyShareable = isFamilyShareable
    self.internalID = internalID ?? Self.internalID(synthesizedFrom: productID.rawValue)
    self.localizations = localizations
    self.groupLocalizations = groupLocalizations
    self.subscription = subscription
    self.winBackEligibility = winBackEligibility
    self.stackableOfferCodes = stackableOfferCodes
  }

  /// Returns the 32-bit FNV-1a hash of `name` as eight upper-case hexadecimal digits, which is Xcode's format.
  static func internalID(synthesizedFrom name: String) -> String {
    var hash: UInt32 = 0x811C_9DC5
    for byte in name.utf8 {
      hash = (hash ^ UInt32(byte)) &* 0x0100_0193
    }
    let digits = String(hash, radix: 16, uppercase: true)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}

extension ProductDefinition {
  /// The valid prices, as in a configuration file: from 0 to less than a trillion units of the currency.
  static let prices = Milliunits.zero...Milliunits(999_999_999_999_999)
}
