import Foundation

/// The developer's offerings: which products an app shows together, and in which order. Documentation/offerings.md describes them.
public struct ServerOfferings: Hashable, Codable, Sendable {
  public let bundleId: String
  /// The id of the current offering; nil if there is none.
  public let current: String?
  /// All offerings, by id.
  public let offerings: [ServerOffering]

  /// The offering to show if the app asks for no particular one; nil if there is none.
  public var currentOffering: ServerOffering? { current.flatMap { self[$0] } }

  /// The offering with an id; nil if there is none.
  public subscript(id: String) -> ServerOffering? { offerings.first { $0.id == id } }
}

/// An ordered list of products that an app shows together.
public struct ServerOffering: Hashable, Codable, Sendable {
  public let id: String
  /// The products that are on sale, in the order in which to show them. It can be empty.
  public let products: [String]
  public let metadata: OfferingMetadata
}

/// What the developer has written into an offering for the app: a JSON object.
public struct OfferingMetadata: Hashable, Sendable {
  private let members: [String: Value]

  /// Decodes the metadata as a type of the app.
  ///
  /// ```swift
  /// struct Paywall: Decodable { let headline: String?; let highlighted: String? }
  /// let paywall = try offering.metadata.decoded(as: Paywall.self)
  /// ```
  ///
  /// - Throws: `DecodingError` if the metadata does not have the type's members.
  public func decoded<Content: Decodable>(as type: Content.Type) throws -> Content {
    try JSONDecoder().decode(type, from: JSONEncoder().encode(self))
  }

  /// A member that is a text; nil if there is none.
  public func text(_ name: String) -> String? { if case .text(let text)? = members[name] { text } else { nil } }

  fileprivate indirect enum Value: Hashable, Sendable {
    case object([String: Value])
    case list([Value])
    case text(String)
    case integer(Int64)
    case number(Double)
    case flag(Bool)
    case null
  }
}

extension OfferingMetadata: Codable {
  public init(from decoder: any Decoder) throws {
    members = try decoder.singleValueContainer().decode([String: Value].self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(members)
  }
}

extension OfferingMetadata.Value: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Int64.self) {
      self = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([OfferingMetadata.Value].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: OfferingMetadata.Value].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .object(let members): try container.encode(members)
    case .list(let list): try container.encode(list)
    case .text(let text): try container.encode(text)
    case .integer(let number): try container.encode(number)
    case .number(let number): try container.encode(number)
    case .flag(let flag): try container.encode(flag)
    case .null: try container.encodeNil()
    }
  }
}
