import Foundation
import StoreModel

/// A JSON document in memory. Numbers are kept as digits, so that none is rounded on the way through.
enum JSONValue: Equatable {
  case null
  case bool(Bool)
  /// As JSON writes it.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  static func integer(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

  /// An object of the members that are there.
  static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.reduce(into: [:]) { object, member in object[member.key] = member.value })
  }

  /// Nil unless `bytes` are one JSON document (RFC 8259).
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
      // The numbers 0 and 1 cast to Bool as well; only what they were made of tells them apart.
      let isBool = number.objCType.pointee == NSNumber(value: true).objCType.pointee
      self = isBool ? .bool(number.boolValue) : .number(number.stringValue)
    default: self = .null
    }
  }

  /// A member of an object; nil if there is none, or it is null.
  subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self, let member = members[key], member != .null else { return nil }
    return member
  }

  /// The text of a string.
  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }
}
