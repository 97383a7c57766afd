/// A share, as refunds of a part have it.
package enum Percentage {
  /// `50 %`, `33.333 %`.
  ///
  /// - Parameter thousandths: of a percent.
  package static func words(_ thousandths: Int) -> String {
    Milliunits(Int64(thousandths)).digits(fewestDecimals: 0) + " %"
  }
}
