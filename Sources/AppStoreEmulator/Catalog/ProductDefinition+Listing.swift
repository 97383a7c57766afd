import StoreModel

extension ProductDefinition {
  /// The product as a customer of `storefront` sees it.
  ///
  /// Apple does not document which texts are shown when the wanted language is missing. Here it is, in this
  /// order: the wanted locale, any locale of the same language, `en_US`, the first there is, and empty texts.
  ///
  /// - Parameters:
  ///   - storefront: Decides the price, its currency, and how the price is written.
  ///   - locale: The locale of the texts, such as `en_US` or `en-US`; by default the storefront's own.
  public func listing(in storefront: Storefront, locale: String? = nil) -> ProductListing {
    let texts = localization(for: locale ?? storefront.localeIdentifier)
    return ProductListing(
      productID: productID,
      type: type,
      displayName: texts?.displayName ?? "",
      productDescription: texts?.description ?? "",
      price: Price(amount: price(in: storefront), currency: storefront.currency),
      localeIdentifier: storefront.localeIdentifier,
      isFamilyShareable: isFamilyShareable,
      subscription: subscription
    )
  }

  /// What one costs in `storefront`, in thousandths of a unit of its currency.
  public func price(in storefront: Storefront) -> Milliunits {
    prices[storefront.countryCode] ?? price
  }

  /// The texts to show to a customer who wants `locale`, by the order given at ``listing(in:locale:)``.
  ///
  /// Nil only when there are no texts at all.
  public func localization(for locale: String) -> Localization? {
    let wanted = Self.localeParts(locale)
    return localizations.first { Self.localeParts($0.locale) == wanted }
      ?? localizations.first { Self.localeParts($0.locale).first == wanted.first }
      ?? localizations.first { Self.localeParts($0.locale) == ["en", "us"] }
      ?? localizations.first
  }

  /// `pt-BR`, `pt_BR` and `pt_br@currency=EUR` are one locale to a customer.
  private static func localeParts(_ identifier: String) -> [String] {
    identifier.prefix { $0 != "@" }.lowercased().split { $0 == "_" || $0 == "-" }.map(String.init)
  }
}
