import Foundation

/// An amount of money in thousandths of a currency's unit, as in Apple's APIs: 1.99 is 1990.
///
/// It is never converted to floating point. Arithmetic traps on overflow, as with `Int64`. For quantities from
/// requests, use ``multiplied(by:)``; for sums of many amounts, ``addingClamped(_:)``.
public struct Milliunits: RawRepresentable, Hashable, Codable, Comparable, Sendable {
  public let rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }
  public init(_ rawValue: Int64) { self.rawValue = rawValue }

  public static let zero = Milliunits(0)

  /// The amount in units of the currency.
  public var decimal: Decimal { Decimal(rawValue) / 1000 }

  /// The total of `quantity` items, or nil if it does not fit into `Int64`.
  public func multiplied(by quantity: Int) -> Milliunits? {
    let (value, overflow) = rawValue.multipliedReportingOverflow(by: Int64(quantity))
    return overflow ? nil : Milliunits(value)
  }

  /// The sum of both amounts; the largest or smallest amount if the sum does not fit into `Int64`.
  public func addingClamped(_ other: Milliunits) -> Milliunits {
    let (value, overflow) = rawValue.addingReportingOverflow(other.rawValue)
    return overflow ? Milliunits(other.rawValue > 0 ? .max : .min) : Milliunits(value)
  }

  public static func < (left: Milliunits, right: Milliunits) -> Bool { left.rawValue < right.rawValue }
  public static func + (left: Milliunits, right: Milliunits) -> Milliunits {
    Milliunits(left.rawValue + right.rawValue)
  }
}

extension Milliunits {
  /// The amount as digits with a decimal point: `3.49`, `5.00`, `0.001`.
  ///
  /// There are as many decimals as needed, but at least two, and at least as many as the currency has. A whole amount
  /// of a currency without decimals has no decimals: `120`.
  ///
  /// - Parameter currency: an ISO 4217 code.
  package func digits(in currency: String) -> String {
    let (isWhole, decimals) = (rawValue % 1000 == 0, Currency(currency).decimals)
    return digits(fewestDecimals: isWhole && decimals == 0 ? 0 : max(2, decimals))
  }

  /// The amount as digits with a decimal point, and with as many decimals as needed, from `fewestDecimals` to 3.
  package func digits(fewestDecimals: Int) -> String {
    let (whole, rest) = rawValue.magnitude.quotientAndRemainder(dividingBy: 1000)
    var decimals = String(1000 + rest).dropFirst()
    while decimals.count > fewestDecimals, decimals.last == "0" { decimals.removeLast() }
    return (rawValue < 0 ? "-" : "") + "\(whole)" + (decimals.isEmpty ? "" : ".\(decimals)")
  }
}
