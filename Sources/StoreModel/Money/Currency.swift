/// A currency, and the number of decimals of its amounts.
package struct Currency: Hashable, Sendable {
  /// An ISO 4217 code, such as `USD`.
  package let code: String

  package init(_ code: String) { self.code = code }

  /// The number of decimals of an amount: 2 for USD, 0 for JPY, 3 for KWD.
  ///
  /// The numbers are those of ISO 4217 ("minor unit"), with one exception: CLF and UYW have 3 instead of 4. They are
  /// units of account, in which nothing is paid.
  package var decimals: Int {
    if Self.withoutDecimals.contains(code) { return 0 }
    return Self.withThreeDecimals.contains(code) ? 3 : 2
  }

  /// The smallest unit: a cent, a yen, a fils.
  package var smallestUnit: Milliunits {
    switch decimals {
    case 0: Milliunits(1000)
    case 2: Milliunits(10)
    default: Milliunits(1)
    }
  }

  private static let withoutDecimals: Set = [
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF",
    "XOF",
    "XPF",
  ]
  private static let withThreeDecimals: Set = ["BHD", "CLF", "IQD", "JOD", "KWD", "LYD", "OMR", "TND", "UYW"]
}
