import Foundation
import StoreModel

/// What the store knows of one product, for every storefront and language.
///
/// A subscription is present exactly when the type is auto-renewable. A free subscription is one whose price
/// is zero.
public struct ProductDefinition: Hashable, Sendable {
  /// The texts of a product, or of a subscription group, in one language.
  public struct Localization: Hashable, Codable, Sendable {
    /// A locale identifier, such as `en_US` or `pt-BR`.
    public let locale: String
    /// May be empty.
    public let displayName: String
    /// May be empty.
    public let description: String

    public init(locale: String, displayName: String, description: String) {
      self.locale = locale
      self.displayName = displayName
      self.description = description
    }
  }

  /// Never empty; unique within one app.
  public let productID: ProductID
  /// The developer's own label. Customers never see it.
  public var referenceName: String
  public let type: ProductType
  /// What one costs, in units of the currency of the catalog's storefront. Other storefronts' prices are converted from it; see
  /// ``price(in:of:)``.
  public var price: Milliunits
  /// Prices that replace ``price`` in single storefronts, in the storefront's own currency, by alpha-3 country code such as `DEU`.
  ///
  /// A configuration file has none.
  public var prices: [String: Milliunits]
  public var isFamilyShareable: Bool
  /// The store's own name for the product. Products from elsewhere may share one; nothing is looked up by it.
  public let internalID: String
  /// In order of preference. When two are for the same locale, the first is shown.
  public var localizations: [Localization]
  /// Present for auto-renewable subscriptions only.
  public let subscription: SubscriptionTerms?
  /// Whether customers may redeem a win-back offer, by the offer's identifier.
  ///
  /// An entry replaces the criteria that otherwise decide; an offer without one is judged by them.
  public var winBackEligibility: [String: Bool]
  /// The names of the offer codes that may be combined with an introductory offer.
  public var stackableOfferCodes: Set<String>

  /// - Parameters:
  ///   - productID: Not empty.
  ///   - price: Not negative.
  ///   - internalID: When nil, made from `productID`; the same one each time.
  ///   - subscription: Given if, and only if, `type` is `autoRenewableSubscription`.
  public init(
    productID: ProductID, referenceName: String = "", type: ProductType, price: Milliunits,
    prices: [String: Milliunits] = [:], isFamilyShareable: Bool = false, internalID: String? = nil,
    localizations: [Localization] = [], subscription: SubscriptionTerms? = nil,
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
    self.subscription = subscription
    self.winBackEligibility = winBackEligibility
    self.stackableOfferCodes = stackableOfferCodes
  }

  /// Eight upper-case hexadecimal digits, the form Xcode gives them: the 32-bit FNV-1a hash of `name`.
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
  /// What a price may be, as in a configuration file: less than a trillion.
  static let prices = Milliunits.zero...Milliunits(999_999_999_999_999)
}
