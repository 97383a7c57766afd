/// Bounds of credits.
enum CreditAmount {
  /// The most that one movement moves.
  static let largest: Int64 = 1_000_000_000_000
  /// What no balance exceeds, in either direction. Thousands of times below where 64 bits end, so that no sum overflows.
  static let largestBalance: Int64 = 1_000_000_000_000_000

  /// What a refund takes back of what a purchase gave: whole credits, rounded down, so that a fraction stays with the
  /// customer.
  ///
  /// - Parameters:
  ///   - given: 0 to ``largest``.
  ///   - percentage: in thousandths of a percent, 0 to 100 000.
  static func taken(of given: Int64, percentage: Int64) -> Int64 { given * percentage / 100_000 }
}

/// What a credit is of: an app may have several kinds, such as `coins` and `gems`.
public struct CreditUnit: RawRepresentable, Hashable, Codable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: String

  /// Nil unless `rawValue` is 1 to 64 letters, digits, hyphens, underscores or dots, of ASCII.
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
