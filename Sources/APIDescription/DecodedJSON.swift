import Foundation

/// A JSON object whose members are not described.
///
/// Numbers are 64-bit integers or doubles. Names of an object that are canonically equivalent in Unicode would become one member;
/// requests with such names are refused before they are decoded.
package struct DecodedJSON: APIValue {
  package let text: String

  package init(text: String) { self.text = text }

  package static func schema(_ components: SchemaComponents) -> JSONSchema { JSONSchema(.anyObject) }
  package static var sample: DecodedJSON { DecodedJSON(text: "{}") }

  package init(from decoder: any Decoder) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    text = String(decoding: try encoder.encode(Tree(from: decoder)), as: UTF8.self)
  }

  package func encode(to encoder: any Encoder) throws {
    try JSONDecoder().decode(Tree.self, from: Data(text.utf8)).encode(to: encoder)
  }

  private indirect enum Tree: Codable {
    case object([String: Tree])
    case array([Tree])
    case string(String)
    case integer(Int64)
    case number(Double)
    case bool(Bool)
    case null

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      // Each failed attempt makes an error with the path of the value. It is long in deep objects, so short values come first.
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Int64.self) {
        self = .integer(value)
      } else if let value = try Self.decoded(Double.self, from: container) {
        self = .number(value)
      } else if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(String.self) {
        self = .string(value)
      } else if let value = try Self.decoded([Tree].self, from: container) {
        self = .array(value)
      } else {
        self = .object(try container.decode([String: Tree].self))
      }
    }

    /// Returns nil if the value is of another kind.
    ///
    /// - Throws: `DecodingError` if it is of this kind, and cannot be decoded.
    private static func decoded<Value: Decodable>(
      _ type: Value.Type, from container: any SingleValueDecodingContainer
    ) throws -> Value? {
      do {
        return try container.decode(type)
      } catch DecodingError.typeMismatch {
        return nil
      } catch {
        guard type == Double.self else { throw error }
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "the number is out of range.")
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .object(let value): try container.encode(value)
      case .array(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .number(let value): try container.encode(value)
      case .bool(let value): try container.encode(value)
      case .null: try container.encodeNil()
      }
    }
  }
}
