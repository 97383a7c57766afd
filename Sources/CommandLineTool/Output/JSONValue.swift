import Foundation
import StoreModel

/// A JSON document in memory. Numbers are stored as digits, so that they are not rounded.
enum JSONValue: Equatable {
  case null
  case bool(Bool)
  /// The number's text in JSON.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  static func integer(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

  /// Returns an object without the members that are nil.
  static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.reduce(into: [:]) { object, member in object[member.key] = member.value })
  }

  /// Parses one JSON document (RFC 8259); nil if `bytes` are not a JSON document.
  init?(parsing bytes: some Sequence<UInt8>) {
    guard let root = try? BoundedJSON.object(from: Data(bytes), within: .file, options: .fragmentsAllowed) else {
      return nil
    }
    self.init(root)
  }

  private init(_ value: Any) {
    switch value {
    case let string as String: self = .string(string)
    case let object as [String: Any]: self = .object(object.mapValues(JSONValue.init))
    case let array as [Any]: self = .array(array.map(JSONValue.init))
    case let number as NSNumber:
      // `as? Bool` also succeeds for the numbers 0 and 1. `objCType` distinguishes them from booleans.
      let isBool = number.objCType.pointee == NSNumber(value: true).objCType.pointee
      self = isBool ? .bool(number.boolValue) : .number(number.stringValue)
    default: self = .null
    }
  }

  /// A member of an object; nil if it is missing or null.
  subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self, let member = members[key], member != .null else { return nil }
    return member
  }

  /// The text of a string.
  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }
}

extension JSONValue {
  /// The value as an indented JSON document with sorted keys and a final line feed.
  ///
  /// Characters that a terminal does not show plainly are escaped, even if JSON allows them.
  var document: String { lines.joined(separator: "\n") + "\n" }

  /// The lines of ``document``.
  var lines: [String] {
    var text = ""
    write(to: &text, indentation: 0)
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private func write(to text: inout String, indentation: Int) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let digits): text += digits
    case .string(let string): text += JSONText.string(string)
    case .array(let elements):
      Self.write(elements, "[", "]", to: &text, indentation) { $0.write(to: &$1, indentation: indentation + 2) }
    case .object(let members):
      let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      Self.write(sorted, "{", "}", to: &text, indentation) { member, text in
        text += JSONText.string(member.key) + ": "
        member.value.write(to: &text, indentation: indentation + 2)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], _ open: String, _ close: String, to text: inout String, _ indentation: Int,
    _ body: (Element, inout String) -> Void
  ) {
    text += open
    for (place, element) in elements.enumerated() {
      text += (place == 0 ? "\n" : ",\n") + String(repeating: " ", count: indentation + 2)
      body(element, &text)
    }
    if !elements.isEmpty { text += "\n" + String(repeating: " ", count: indentation) }
    text += close
  }
}
