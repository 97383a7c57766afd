import StoreModel

/// A value of an enumeration that Apple may extend: the value as written, and the known case.
///
/// A value that this version does not know is kept, and is written back unchanged. So a new case never breaks reading.
///
/// ```swift
/// switch notification.type.known {
/// case .refund: …
/// default: …  // Apple's newer types are here, with `notification.type.rawValue`.
/// }
/// ```
public struct OpenEnum<Known: RawRepresentable & Hashable & Sendable>: RawRepresentable, Hashable, Sendable
where Known.RawValue: Codable & Hashable & Sendable {
  public let rawValue: Known.RawValue

  public init(rawValue: Known.RawValue) { self.rawValue = rawValue }
  public init(_ known: Known) { rawValue = known.rawValue }

  /// The case; nil if this version does not know the value.
  public var known: Known? { Known(rawValue: rawValue) }

  public static func == (value: Self, known: Known) -> Bool { value.rawValue == known.rawValue }
  public static func != (value: Self, known: Known) -> Bool { value.rawValue != known.rawValue }
}

extension OpenEnum: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    rawValue = try container.decode(Known.RawValue.self)
    if let text = rawValue as? String, !text.isStreamSafe {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "it has too many combining marks in a row")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
