import Foundation
import StoreModel

extension Product {
  /// The description of the product as JSON, with the members of Apple's `Product.jsonRepresentation` in Xcode's test
  /// environment: `id`, `type`, `href` and `attributes`. Prices are strings.
  public var jsonRepresentation: Data {
    let encoder = JSONEncoder()
    // So that equal products have equal bytes.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // The object has texts, numbers and arrays only, which can always be encoded.
    return (try? encoder.encode(ProductJSON(listing))) ?? Data()
  }
}

/// The JSON of a product.
private struct ProductJSON: Encodable {
  let id: String
  let type = "in-apps"
  let href: String
  let attributes: Attributes

  struct Attributes: Encodable {
    let offerName: String
    let name: String
    let description: Description
    let kind: String
    let icuLocale: String
    let isFamilyShareable: Int
    let offers: [Offer]
    // Auto-renewable subscriptions only.
    let subscriptionFamilyId: String?
    let subscriptionFamilyName: String?
    let subscriptionFamilyRank: Int?
  }

  struct Description: Encodable {
    let standard: String
  }

  struct Offer: Encodable {
    let currencyCode: String
    let price: String
    let priceFormatted: String
    // Auto-renewable subscriptions only.
    let recurringSubscriptionPeriod: String?
    let discounts: [Discount]?
  }

  struct Discount: Encodable {
    let id: String?
    let type: String
    let modeType: String
    let numOfPeriods: Int
    let price: String
    let priceFormatted: String
    let recurringSubscriptionPeriod: String
  }

  init(_ listing: ProductListing) {
    id = listing.internalID ?? listing.productID.rawValue
    href = "/v1/catalog/\(listing.storefrontCountryCode.lowercased())/in-apps/\(id)"
    let terms = listing.subscription
    attributes = Attributes(
      offerName: listing.productID.rawValue, name: listing.displayName,
      description: Description(standard: listing.productDescription), kind: listing.type.rawValue,
      icuLocale: listing.priceLocale.identifier, isFamilyShareable: listing.isFamilyShareable ? 1 : 0,
      offers: [
        Offer(
          currencyCode: listing.price.currency, price: listing.price.amount.text,
          priceFormatted: listing.formatted(listing.price.amount),
          recurringSubscriptionPeriod: terms?.period.iso8601,
          discounts: terms?.offers.compactMap { Discount($0, of: listing) })
      ],
      subscriptionFamilyId: terms?.groupID.rawValue,
      subscriptionFamilyName: terms.map { _ in listing.groupDisplayName ?? "" },
      subscriptionFamilyRank: terms?.groupLevel)
  }
}

extension ProductJSON.Discount {
  /// Nil for offer codes, which a product does not list.
  init?(_ offer: StoreModel.SubscriptionOffer, of listing: ProductListing) {
    switch offer.kind {
    case .introductory: type = "IntroOffer"
    case .promotional: type = "AdhocOffer"
    case .winBack: type = "WinBackOffer"
    case .offerCode: return nil
    }
    id = offer.identifier
    modeType = Product.SubscriptionOffer.PaymentMode(offer.paymentMode).rawValue
    numOfPeriods = offer.numberOfPeriods
    price = offer.price.text
    priceFormatted = listing.formatted(offer.price)
    recurringSubscriptionPeriod = offer.period.iso8601
  }
}

extension ProductListing {
  /// The country of the product's locale, ISO 3166-1 alpha-3. `USA` if the locale has no country with a storefront.
  fileprivate var storefrontCountryCode: String {
    let region = Locale(identifier: localeIdentifier).region?.identifier
    return (Territory.all.first { $0.regionCode == region } ?? .usa).countryCode
  }

  /// An amount in the currency and notation of the product's price.
  func formatted(_ amount: Milliunits) -> String {
    Price(amount: amount, currency: price.currency).formatted(locale: Locale(identifier: localeIdentifier))
  }
}

extension Milliunits {
  /// The amount as the product's JSON writes it, such as `1.99`.
  fileprivate var text: String { decimal.description }
}
