import StoreModel

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
