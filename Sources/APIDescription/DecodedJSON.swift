import Foundation

/// A JSON object whose members are not described.
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
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(Int64.self) {
        self = .integer(value)
      } else if let value = try? container.decode(Double.self) {
        self = .number(value)
      } else if let value = try? container.decode(String.self) {
        self = .string(value)
      } else if let value = try? container.decode([Tree].self) {
        self = .array(value)
      } else {
        self = .object(try container.decode([String: Tree].self))
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
