/// A share, as refunds of a part have it.
package enum Percentage {
  /// All of it, in thousandths of a percent.
  package static let whole = 100_000

  /// That share of an amount, rounded towards zero. Never overflows.
  ///
  /// - Parameter thousandths: of a percent, 0 to ``whole``.
  package static func share(_ thousandths: Int, of amount: Int64) -> Int64 {
    let (quotient, remainder) = amount.quotientAndRemainder(dividingBy: Int64(whole))
    return quotient * Int64(thousandths) + remainder * Int64(thousandths) / Int64(whole)
  }

  /// `50 %`, `33.333 %`.
  ///
  /// - Parameter thousandths: of a percent.
  package static func words(_ thousandths: Int) -> String {
    Milliunits(Int64(thousandths)).digits(fewestDecimals: 0) + " %"
  }
}
