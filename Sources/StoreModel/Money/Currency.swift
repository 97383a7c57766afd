/// A currency as far as amounts are made of it: how many decimals it has.
package struct Currency: Hashable, Sendable {
  /// An ISO 4217 code, such as `USD`.
  package let code: String

  package init(_ code: String) { self.code = code }

  /// How many decimals its smallest unit has: 2 for USD, 0 for JPY, 3 for KWD. As ISO 4217 has it ("minor unit"), but for the rupiah:
  /// nothing is paid in sen any more, and currency formatters write none.
  ///
  /// The two codes of ISO 4217 with four decimals are units of account, which nothing is paid in; they count as having three.
  package var decimals: Int {
    if Self.withoutDecimals.contains(code) { return 0 }
    return Self.withThreeDecimals.contains(code) ? 3 : 2
  }

  /// Its smallest unit: a cent, a yen, a fils.
  package var smallestUnit: Milliunits {
    switch decimals {
    case 0: Milliunits(1000)
    case 2: Milliunits(10)
    default: Milliunits(1)
    }
  }

  private static let withoutDecimals: Set = [
    "BIF", "CLP", "DJF", "GNF", "IDR", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF",
    "XOF",
    "XPF",
  ]
  private static let withThreeDecimals: Set = ["BHD", "CLF", "IQD", "JOD", "KWD", "LYD", "OMR", "TND", "UYW"]
}
