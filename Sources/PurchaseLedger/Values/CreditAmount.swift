/// The limits of credit amounts.
enum CreditAmount {
  /// The maximum amount of one movement.
  static let largest: Int64 = 1_000_000_000_000
  /// The maximum absolute balance. It is thousands of times below the limit of 64 bits, so that sums do not overflow.
  static let largestBalance: Int64 = 1_000_000_000_000_000

  /// Returns the credits that a refund removes. The result is rounded down, in favour of the customer.
  ///
  /// - Parameters:
  ///   - given: the credits that the purchase gave, 0 to ``largest``.
  ///   - percentage: the refunded part, in thousandths of a percent, 0 to 100 000.
  static func taken(of given: Int64, percentage: Int64) -> Int64 { given * percentage / 100_000 }
}

/// The unit of a credit account. An app may have several, such as `coins` and `gems`.
public struct CreditUnit: RawRepresentable, Hashable, Codable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: String

  /// Returns nil unless `rawValue` is 1 to 64 ASCII letters, digits, hyphens, underscores or dots.
  public init?(rawValue: String) {
    let isFit = rawValue.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || [0x2D, 0x2E, 0x5F].contains(byte)
    }
    guard (1...64).contains(rawValue.utf8.count), isFit else { return nil }
    self.rawValue = rawValue
  }

  public var description: String { rawValue }
  public static func < (left: CreditUnit, right: CreditUnit) -> Bool { left.rawValue < right.rawValue }
}

extension CreditUnit: SQLValueConvertible {}
