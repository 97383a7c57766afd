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
