import Foundation

/// A JSON value as the reader distinguishes them. A key that is absent counts as null.
enum ConfigurationValue {
  case null
  case bool(Bool)
  /// The number in decimal digits. Its `NSNumber` would answer with a `Decimal` made from a `Double`, and
  /// 1234567.891 would no longer be itself.
  case number(String)
  case string(String)
  case array([Any])
  case object([String: Any])

  init(_ value: Any?) {
    switch value {
    case let string as String: self = .string(string)
    case let object as [String: Any]: self = .object(object)
    case let array as [Any]: self = .array(array)
    case let number as NSNumber:
      // Numbers 0 and 1 also cast to Bool; only the type they were made from tells them from false and true.
      self = number.objCType.pointee == Self.boolType ? .bool(number.boolValue) : .number(number.stringValue)
    default: self = .null
    }
  }

  private static let boolType = NSNumber(value: true).objCType.pointee

  var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The value, if it is a whole number within `Int`, be it written `3` or `3.0`.
  var integer: Int? {
    guard case .number(let text) = self else { return nil }
    return Int(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }
}
