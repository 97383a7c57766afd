/// Percentages, such as those of prorated refunds, in thousandths of a percent.
package enum Percentage {
  /// 100 percent, in thousandths of a percent.
  package static let whole = 100_000

  /// The share of an amount, rounded towards zero. Never overflows.
  ///
  /// - Parameter thousandths: thousandths of a percent, 0 to ``whole``.
  package static func share(_ thousandths: Int, of amount: Int64) -> Int64 {
    let (quotient, remainder) = amount.quotientAndRemainder(dividingBy: Int64(whole))
    return quotient * Int64(thousandths) + remainder * Int64(thousandths) / Int64(whole)
  }

  /// The percentage as text, such as `50 %` or `33.333 %`.
  ///
  /// - Parameter thousandths: thousandths of a percent.
  package static func text(_ thousandths: Int) -> String {
    Milliunits(Int64(thousandths)).digits(fewestDecimals: 0) + " %"
  }
}
