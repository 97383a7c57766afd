/// The name of an entitlement: what a product gives, such as `club`. Several products can have the same name.
public struct EntitlementName: RawRepresentable, Hashable, Codable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: String

  /// Returns nil unless `rawValue` is 1 to 64 ASCII letters, digits, hyphens, underscores or dots.
  public init?(rawValue: String) {
    guard rawValue.isShortName else { return nil }
    self.rawValue = rawValue
  }

  public var description: String { rawValue }
  public static func < (left: EntitlementName, right: EntitlementName) -> Bool { left.rawValue < right.rawValue }
}

/// The id of an offering, unique in its app.
public struct OfferingID: RawRepresentable, Hashable, Codable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: String

  /// Returns nil unless `rawValue` is 1 to 64 ASCII letters, digits, hyphens, underscores or dots, and not `.` or `..`.
  public init?(rawValue: String) {
    // The id is a segment of paths. Clients remove the segments `.` and `..` from a path.
    guard rawValue.isShortName, rawValue != ".", rawValue != ".." else { return nil }
    self.rawValue = rawValue
  }

  public var description: String { rawValue }
  public static func < (left: OfferingID, right: OfferingID) -> Bool { left.rawValue < right.rawValue }
}

extension EntitlementName: SQLValueConvertible {}
extension OfferingID: SQLValueConvertible {}

extension String {
  /// Whether the text is 1 to 64 ASCII letters, digits, hyphens, underscores or dots.
  fileprivate var isShortName: Bool {
    let isFit = utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || [0x2D, 0x2E, 0x5F].contains(byte)
    }
    return (1...64).contains(utf8.count) && isFit
  }
}
