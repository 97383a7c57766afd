import Foundation
import HTTPTypes
import Hummingbird
import StoreModel
import WebSupport

/// The query of a page's address. Empty values are treated as missing, because forms send empty fields.
struct ConsoleQuery {
  private let values: [String: String]

  /// - Throws: ``ConsoleRefusal`` if the query cannot be decoded. Ignoring a part of it would remove a filter.
  init(_ request: Request) throws(ConsoleRefusal) {
    // In the encoding of HTML forms (WHATWG URL Standard, section 5), a plus is a space.
    let pairs = (request.uri.query ?? "").split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
    var values: [String: String] = [:]
    for pair in pairs {
      guard let name = pair.first else { continue }
      values[try Self.decoded(name)] = pair.count > 1 ? try Self.decoded(pair[1]) : nil
    }
    self.values = values
  }

  private static func decoded(_ text: Substring) throws(ConsoleRefusal) -> String {
    guard let decoded = text.replacing("+", with: "%20").removingPercentEncoding else {
      throw ConsoleRefusal(.badRequest, "The address is not percent-encoded as it should be: \(text.prefix(100))")
    }
    return decoded
  }

  subscript(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// Returns the value of a parameter.
  ///
  /// - Throws: ``ConsoleRefusal`` if the value is missing.
  func required(_ name: String) throws(ConsoleRefusal) -> String {
    guard let value = self[name] else {
      throw ConsoleRefusal(.badRequest, "The address lacks \(name).")
    }
    return value
  }

  /// Returns the environment; nil if it is missing.
  ///
  /// - Throws: ``ConsoleRefusal`` if the value is not an environment.
  func environment() throws(ConsoleRefusal) -> StoreEnvironment? {
    guard let text = self["environment"] else { return nil }
    guard let environment = StoreEnvironment(lowercaseName: text.lowercased()), environment != .xcode else {
      throw ConsoleRefusal(.badRequest, "\(text) is no environment; use production or sandbox.")
    }
    return environment
  }

  /// Returns the parameter `transaction`; nil if it is missing.
  ///
  /// - Throws: ``ConsoleRefusal`` if the value is not a transaction id.
  func transaction() throws(ConsoleRefusal) -> TransactionID? {
    guard let text = self["transaction"] else { return nil }
    guard let id = TransactionID(rawValue: text) else {
      throw ConsoleRefusal(.badRequest, "\(text) is no transaction id, which is a decimal number.")
    }
    return id
  }

  /// Returns a parameter that must be one of `values`; nil if it is missing.
  ///
  /// - Throws: ``ConsoleRefusal`` if it has another value.
  func word<Value: RawRepresentable<String>>(_ name: String, _ values: [Value]) throws(ConsoleRefusal) -> Value? {
    guard let text = self[name] else { return nil }
    guard let value = values.first(where: { $0.rawValue == text }) else {
      throw ConsoleRefusal(
        .badRequest, "\(name) is one of \(values.map(\.rawValue).joined(separator: ", ")); it is \(text).")
    }
    return value
  }

  /// Returns a parameter that is a number; nil if it is missing.
  ///
  /// - Throws: ``ConsoleRefusal`` if the value is not a number in `range`.
  func number(_ name: String, _ range: ClosedRange<Int64>) throws(ConsoleRefusal) -> Int64? {
    guard let text = self[name] else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw ConsoleRefusal(
        .badRequest, "\(name) is a number from \(range.lowerBound) to \(range.upperBound); it is \(text).")
    }
    return number
  }
}
