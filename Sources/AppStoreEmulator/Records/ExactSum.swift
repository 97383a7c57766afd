import GRDB
import StoreModel

/// An exact sum of amounts of money in SQL, whatever its size. SQLite's `sum` fails if the sum does not fit into 64 bits, and its
/// `total` is a floating-point number.
enum ExactSum {
  /// Two columns of a query, the sums of the upper and the lower 32 bits. They fit for two billion rows.
  ///
  /// - Parameters:
  ///   - amount: an expression.
  ///   - name: the beginning of the columns' names.
  static func sql(of amount: String, as name: String) -> String {
    "sum((\(amount)) >> 32) AS \(name)High, sum((\(amount)) & 0xFFFFFFFF) AS \(name)Low"
  }

  /// The sum in a row of such a query, clamped to `Int64`.
  static func value(_ name: String, in row: Row) -> Milliunits {
    let low: Int64 = row["\(name)Low"]
    let high: Int64 = row["\(name)High"] + low >> 32
    guard let upper = Int32(exactly: high) else { return Milliunits(high > 0 ? .max : .min) }
    return Milliunits(Int64(upper) << 32 | low & 0xFFFF_FFFF)
  }
}
