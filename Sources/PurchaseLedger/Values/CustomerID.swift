import Foundation
import StoreModel

/// A customer's id. Apps use it as `applicationUsername` and `appAccountToken`.
public struct CustomerID: RawRepresentable, Hashable, Codable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UUID

  public init(rawValue: UUID) { self.rawValue = rawValue }

  /// Returns nil unless `text` is a UUID, in upper or lower case.
  public init?(_ text: String) {
    guard let uuid = UUID(uuidString: text) else { return nil }
    rawValue = uuid
  }

  /// The UUID in lower case, as it is stored and sent.
  public var description: String { rawValue.uuidString.lowercased() }

  public static func < (left: CustomerID, right: CustomerID) -> Bool { left.description < right.description }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = CustomerID(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "a customer's id is a UUID")
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension CustomerID: SQLValueConvertible {
  public var sqlValue: SQLValue { .text(description) }
}
