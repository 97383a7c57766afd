import Foundation

/// A JSON value of a configuration file. A missing key is null.
enum ConfigurationValue {
  case null
  case bool(Bool)
  /// The number as decimal digits. Converting the `NSNumber` to `Decimal` would go through `Double` and change
  /// 1234567.891.
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
      // The numbers 0 and 1 also cast to Bool, so the type of the `NSNumber` decides.
      self = number.objCType.pointee == Self.boolType ? .bool(number.boolValue) : .number(number.stringValue)
    default: self = .null
    }
  }

  private static let boolType = NSNumber(value: true).objCType.pointee

  /// Whether the value is a string that is not blank.
  var hasText: Bool {
    if case .string(let text) = self { !text.allSatisfy(\.isWhitespace) } else { false }
  }

  var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The value, if it is a whole number that fits into `Int`, such as `3` or `3.0`.
  var integer: Int? {
    guard case .number(let text) = self else { return nil }
    return Int(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }
}
