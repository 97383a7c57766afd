import StoreModel

extension ProductDefinition {
  /// The product as a customer of `storefront` sees it.
  ///
  /// Apple does not document which texts are shown when the wanted language is missing. Here it is, in this
  /// order: the wanted locale, a locale of the same language and script, any locale of the same language, the same three for
  /// the catalog's locale, `en_US`, the first there is, and empty texts.
  ///
  /// - Parameters:
  ///   - storefront: Decides the price, its currency, how the price is written, and the language of the texts.
  ///   - catalog: The configuration file's settings for all products.
  ///   - locale: The locale of the texts where a test has chosen one, such as `en_US` or `en-US`; nil for the storefront's own.
  public func listing(
    in storefront: Storefront, of catalog: CatalogDefaults = CatalogDefaults(), locale: String? = nil
  ) -> ProductListing {
    let texts = localization(for: locale ?? storefront.localeIdentifier, otherwise: catalog.locale)
    return ProductListing(
      productID: productID,
      type: type,
      displayName: texts?.displayName ?? "",
      productDescription: texts?.description ?? "",
      price: Price(amount: price(in: storefront, of: catalog), currency: storefront.currency),
      localeIdentifier: storefront.localeIdentifier,
      isFamilyShareable: isFamilyShareable,
      subscription: subscription?.priced { conversion(to: storefront, catalog).converted($0) }
    )
  }

  /// What one costs in `storefront`, in thousandths of a unit of its currency: an amount that can be paid in it, and zero only for
  /// what is free. A price of the storefront's own stays as it was given; others are converted from the catalog's currency.
  public func price(in storefront: Storefront, of catalog: CatalogDefaults = CatalogDefaults()) -> Milliunits {
    let conversion = conversion(to: storefront, catalog)
    return prices[storefront.countryCode].map(conversion.payable) ?? conversion.converted(price)
  }

  private func conversion(to storefront: Storefront, _ catalog: CatalogDefaults) -> PriceConversion {
    PriceConversion(catalogCurrency: catalog.storefront.currency, currency: storefront.currency)
  }

  /// The texts to show to a customer who wants `locale`, by the order given at ``listing(in:of:locale:)``.
  ///
  /// Nil only when there are no texts at all.
  ///
  /// - Parameter fallback: The locale of the texts where there are none in the language of `locale`.
  public func localization(for locale: String, otherwise fallback: String? = nil) -> Localization? {
    texts(in: locale) ?? fallback.flatMap(texts) ?? localizations.first { Self.localeParts($0.locale) == ["en", "us"] }
      ?? localizations.first
  }

  /// The texts in a locale, or else in its language.
  private func texts(in locale: String) -> Localization? {
    let wanted = Self.localeParts(locale)
    let ofLanguage = localizations.filter { Self.localeParts($0.locale).first == wanted.first }
    return ofLanguage.first { Self.localeParts($0.locale) == wanted }
      ?? ofLanguage.first { Self.script(Self.localeParts($0.locale)) == Self.script(wanted) } ?? ofLanguage.first
  }

  /// Which of its scripts a language is written in, where that is known: Chinese is simplified unless its locale says
  /// `Hant`, or a region that writes so.
  private static func script(_ locale: [String]) -> String? {
    if let script = locale.dropFirst().first(where: { $0.count == 4 && $0.allSatisfy(\.isLetter) }) { return script }
    guard locale.first == "zh" else { return nil }
    return locale.contains { ["tw", "hk", "mo"].contains($0) } ? "hant" : "hans"
  }

  /// `pt-BR`, `pt_BR` and `pt_br@currency=EUR` are one locale to a customer.
  private static func localeParts(_ identifier: String) -> [String] {
    identifier.prefix { $0 != "@" }.lowercased().split { $0 == "_" || $0 == "-" }.map(String.init)
  }
}

extension SubscriptionTerms {
  /// With the prices of its offers as `price` makes them.
  fileprivate func priced(_ price: (Milliunits) -> Milliunits) -> SubscriptionTerms {
    SubscriptionTerms(
      groupID: groupID, groupLevel: groupLevel, period: period,
      offers: offers.map {
        SubscriptionOffer(
          kind: $0.kind, identifier: $0.identifier, paymentMode: $0.paymentMode, period: $0.period,
          numberOfPeriods: $0.numberOfPeriods, price: price($0.price), eligibility: $0.eligibility)
      })
  }
}

/// Makes the price that a storefront shows, quotes and charges out of the one in the catalog. It is the only place where an amount is
/// converted, or rounded to what can be paid. Documentation/prices.md has the rules and the table.
struct PriceConversion {
  /// The currency of the catalog's prices, as an ISO 4217 code.
  let catalogCurrency: String
  /// The currency of the storefront, as an ISO 4217 code.
  let currency: String

  /// Converts a price without an entry for the storefront by the table.
  func converted(_ price: Milliunits) -> Milliunits {
    guard catalogCurrency != currency else { return payable(price) }
    return rounded(price, times: Self.unitsPerDollar(currency), over: Self.unitsPerDollar(catalogCurrency))
  }

  /// Rounds an amount of the storefront's currency to what can be paid in it.
  func payable(_ price: Milliunits) -> Milliunits { rounded(price, times: 1, over: 1) }

  /// Rounds half up to the currency's smallest unit. What is more than zero stays at least that unit.
  private func rounded(_ price: Milliunits, times factor: UInt64, over divisor: UInt64) -> Milliunits {
    guard price > .zero else { return .zero }
    let unit = UInt64(Currency(currency).smallestUnit.rawValue)
    // 128 bits: the largest price times the largest factor needs more than 64.
    let product = price.rawValue.magnitude.multipliedFullWidth(by: factor)
    let (low, overflows) = product.low.addingReportingOverflow(divisor * unit / 2)
    let units = (divisor * unit).dividingFullWidth((product.high + (overflows ? 1 : 0), low)).quotient
    let largest = UInt64(ProductDefinition.prices.upperBound.rawValue) / unit
    return Milliunits(Int64(min(max(units, 1), largest) * unit))
  }

  /// How many units of a currency stand for one dollar. Currencies that are not listed count like the dollar.
  static func unitsPerDollar(_ currency: String) -> UInt64 { table[currency] ?? 1 }

  /// Round numbers, not exchange rates: the same price every day. For the storefronts' currencies.
  static let table: [String: UInt64] = [
    "AED": 4, "AUD": 1, "BRL": 5, "CAD": 1, "CHF": 1, "CLP": 1000, "CNY": 7, "CZK": 25, "DKK": 7, "EUR": 1, "GBP": 1,
    "HKD": 8, "HUF": 400, "IDR": 15_000, "ILS": 4, "INR": 80, "JPY": 150, "KRW": 1500, "MXN": 20, "MYR": 4, "NOK": 10,
    "NZD": 1, "PHP": 50, "PLN": 4, "SAR": 4, "SEK": 10, "SGD": 1, "THB": 35, "TRY": 40, "TWD": 30, "USD": 1,
    "VND": 25_000, "ZAR": 20,
  ]
}
