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
