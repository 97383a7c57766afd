import StoreModel

extension ProductDefinition {
  /// The product as customers of `storefront` see it.
  ///
  /// Apple does not document which texts are shown if the language is missing. The emulator takes the first that
  /// exists: for each of the storefront's languages in order, the locale's texts, texts with the same language and
  /// script, and texts with the same language; these three for the catalog's locale; `en_US`; the first texts; empty
  /// texts.
  ///
  /// - Parameters:
  ///   - storefront: decides the price, its currency and format, and the language of the texts.
  ///   - catalog: the configuration file's settings for all products.
  ///   - locale: the locale of the texts if one was chosen for all storefronts, such as `en_US` or `en-US`
  ///     (``StoreSettings/locale``); nil for the storefront's languages.
  public func listing(
    in storefront: Territory, of catalog: CatalogDefaults = CatalogDefaults(), locale: String? = nil
  ) -> ProductListing {
    let locales = locale.map { [$0] } ?? storefront.localeIdentifiers
    let texts = localization(for: locales, otherwise: catalog.locale)
    return ProductListing(
      productID: productID,
      type: type,
      displayName: texts?.displayName ?? "",
      productDescription: texts?.description ?? "",
      price: Price(amount: price(in: storefront, of: catalog), currency: storefront.currency),
      localeIdentifier: storefront.localeIdentifier,
      isFamilyShareable: isFamilyShareable,
      subscription: subscription?.priced { conversion(to: storefront, catalog).converted($0) },
      internalID: internalID,
      groupDisplayName: groupLocalizations.best(for: locales, otherwise: catalog.locale)?.displayName
    )
  }

  /// The price of one item in `storefront`, in thousandths of a unit of the storefront's currency. The price is a
  /// multiple of the currency's smallest unit, and is zero only if the product is free.
  ///
  /// If the catalog has a price for this storefront, that price is only rounded. Otherwise, the price is converted from
  /// the catalog's currency.
  public func price(in storefront: Territory, of catalog: CatalogDefaults = CatalogDefaults()) -> Milliunits {
    let conversion = conversion(to: storefront, catalog)
    return prices[storefront.countryCode].map(conversion.payable) ?? conversion.converted(price)
  }

  private func conversion(to storefront: Territory, _ catalog: CatalogDefaults) -> PriceConversion {
    PriceConversion(catalogCurrency: catalog.storefront.currency, currency: storefront.currency)
  }

  /// The texts for a customer who wants the first of `locales` that has texts, chosen in the order of
  /// ``listing(in:of:locale:)``. Nil only if the product has no texts.
  ///
  /// - Parameter fallback: the locale to use if there are no texts in the languages of `locales`.
  public func localization(for locales: [String], otherwise fallback: String? = nil) -> Localization? {
    localizations.best(for: locales, otherwise: fallback)
  }
}

extension [ProductDefinition.Localization] {
  /// The texts for a customer, as ``ProductDefinition/localization(for:otherwise:)``. Nil only if there are none.
  fileprivate func best(for locales: [String], otherwise fallback: String?) -> Element? {
    locales.lazy.compactMap(texts).first ?? fallback.flatMap(texts)
      ?? first { LocaleParts($0.locale).parts == ["en", "us"] } ?? first
  }

  /// The texts in a locale, or else in the same language.
  private func texts(in locale: String) -> Element? {
    let wanted = LocaleParts(locale)
    let ofLanguage = filter { LocaleParts($0.locale).language == wanted.language }
    return ofLanguage.first { LocaleParts($0.locale) == wanted }
      ?? ofLanguage.first { LocaleParts($0.locale).script == wanted.script } ?? ofLanguage.first
  }
}

/// The lower-case parts of a locale identifier: `pt-BR`, `pt_BR` and `pt_br@currency=EUR` have the same parts.
private struct LocaleParts: Equatable {
  let parts: [String]

  init(_ identifier: String) {
    var parts = identifier.prefix { $0 != "@" }.lowercased().split { $0 == "_" || $0 == "-" }.map(String.init)
    if let language = parts.first { parts[0] = Self.languageAliases[language] ?? language }
    self.parts = parts
  }

  var language: String? { parts.first }

  /// Nil if it is unknown. Chinese is simplified unless the locale contains `Hant`, or a region that writes traditional
  /// Chinese.
  var script: String? {
    if let script = parts.dropFirst().first(where: { $0.count == 4 && $0.allSatisfy(\.isLetter) }) { return script }
    guard language == "zh" else { return nil }
    return parts.contains { ["tw", "hk", "mo"].contains($0) } ? "hant" : "hans"
  }

  /// The codes of languages that have two: the other one of each, as in CLDR's aliases.
  private static let languageAliases = ["no": "nb", "iw": "he", "in": "id", "tl": "fil"]
}

extension SubscriptionTerms {
  /// The same terms, with the prices of the offers converted by `price`.
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

/// Converts a price of the catalog to the price in a storefront. Amounts are converted, and rounded to payable amounts,
/// only here. The rules and the table are in Documentation/prices.md.
struct PriceConversion {
  /// The currency of the catalog's prices, as an ISO 4217 code.
  let catalogCurrency: String
  /// The currency of the storefront, as an ISO 4217 code.
  let currency: String

  /// Converts a price in the catalog's currency to the storefront's currency, with the rates of ``table``.
  func converted(_ price: Milliunits) -> Milliunits {
    guard catalogCurrency != currency else { return payable(price) }
    return rounded(price, times: Self.unitsPerDollar(currency), over: Self.unitsPerDollar(catalogCurrency))
  }

  /// Rounds a price in the storefront's currency to a payable amount.
  func payable(_ price: Milliunits) -> Milliunits { rounded(price, times: 1, over: 1) }

  /// Rounds half up to the currency's smallest unit. A positive price stays at least one unit.
  private func rounded(_ price: Milliunits, times factor: UInt64, over divisor: UInt64) -> Milliunits {
    guard price > .zero else { return .zero }
    let unit = UInt64(Currency(currency).smallestUnit.rawValue)
    // Computed with 128 bits, because the largest price times the largest factor does not fit into 64 bits.
    let product = price.rawValue.magnitude.multipliedFullWidth(by: factor)
    let (low, overflows) = product.low.addingReportingOverflow(divisor * unit / 2)
    let units = (divisor * unit).dividingFullWidth((product.high + (overflows ? 1 : 0), low)).quotient
    let largest = UInt64(ProductDefinition.prices.upperBound.rawValue) / unit
    return Milliunits(Int64(min(max(units, 1), largest) * unit))
  }

  /// The number of units of a currency that are worth one US dollar; 1 for currencies that are not in the table.
  static func unitsPerDollar(_ currency: String) -> UInt64 { table[currency] ?? 1 }

  /// The number of units of each currency that are worth one US dollar. The numbers are fixed and rounded, not exchange
  /// rates, so that prices are the same every day. The table has the currencies of all storefronts.
  static let table: [String: UInt64] = [
    "AED": 4, "AUD": 1, "BRL": 5, "CAD": 1, "CHF": 1, "CLP": 1000, "CNY": 7, "COP": 4000, "CZK": 25, "DKK": 7,
    "EGP": 50, "EUR": 1, "GBP": 1, "HKD": 8, "HUF": 400, "IDR": 15_000, "ILS": 4, "INR": 80, "JPY": 150, "KRW": 1500,
    "KZT": 500, "MXN": 20, "MYR": 4, "NGN": 1500, "NOK": 10, "NZD": 1, "PEN": 4, "PHP": 50, "PKR": 300, "PLN": 4,
    "QAR": 4, "RON": 5, "RUB": 80, "SAR": 4, "SEK": 10, "SGD": 1, "THB": 35, "TRY": 40, "TWD": 30, "TZS": 2500,
    "USD": 1, "VND": 25_000, "ZAR": 20,
  ]
}
