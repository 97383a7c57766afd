import Foundation

extension FormField {
  /// The members of `value` in JSON as fixed fields, so that a form can send it without inputs. Arrays must contain only
  /// strings.
  package static func constants(of value: some Encodable) throws -> [FormField] {
    let members = try JSONDecoder().decode([String: JSONMember].self, from: try JSONEncoder().encode(value))
    return constants(of: .object(members), at: [])
  }

  private static func constants(of member: JSONMember, at path: [String]) -> [FormField] {
    let name = path.joined(separator: ".")
    return switch member {
    case .object(let members):
      members.sorted { $0.key < $1.key }.flatMap { constants(of: $0.value, at: path + [$0.key]) }
    case .texts(let texts): [constant(name, .texts, texts.joined(separator: " "))]
    case .text(let text): [constant(name, .text, text)]
    case .flag(let flag): [constant(name, .flag, "\(flag)")]
    case .number(let number): [constant(name, .number, number)]
    }
  }
}

/// The value of a member in JSON.
private enum JSONMember: Decodable {
  case object([String: JSONMember])
  case texts([String])
  case text(String)
  case flag(Bool)
  case number(String)

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Int64.self) {
      self = .number("\(number)")
    } else if let number = try? container.decode(Double.self) {
      self = .number("\(number)")
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let texts = try? container.decode([String].self) {
      self = .texts(texts)
    } else {
      self = .object(try container.decode([String: JSONMember].self))
    }
  }
}
