import Foundation
import HTTPTypes
import Hummingbird

/// The query of a page's address. Empty values are treated as missing, because forms send empty fields.
package struct AddressQuery {
  private let values: [String: String]

  /// - Throws: ``PageRefusal`` if the query cannot be decoded. Ignoring a part of it would remove a filter.
  package init(_ request: Request) throws(PageRefusal) {
    // In the encoding of HTML forms (WHATWG URL Standard, section 5), a plus is a space.
    let pairs = (request.uri.query ?? "").split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
    var values: [String: String] = [:]
    for pair in pairs {
      guard let name = pair.first else { continue }
      values[try Self.decoded(name)] = pair.count > 1 ? try Self.decoded(pair[1]) : nil
    }
    self.values = values
  }

  private static func decoded(_ text: Substring) throws(PageRefusal) -> String {
    guard let decoded = text.replacing("+", with: "%20").removingPercentEncoding else {
      throw PageRefusal(.badRequest, "The address is not percent-encoded as it should be: \(text.prefix(100))")
    }
    return decoded
  }

  package subscript(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// Returns the value of a parameter.
  ///
  /// - Throws: ``PageRefusal`` if the value is missing.
  package func required(_ name: String) throws(PageRefusal) -> String {
    guard let value = self[name] else {
      throw PageRefusal(.badRequest, "The address lacks \(name).")
    }
    return value
  }

  /// Returns a parameter that must be one of `values`; nil if it is missing.
  ///
  /// - Throws: ``PageRefusal`` if it has another value.
  package func word<Value: RawRepresentable<String>>(_ name: String, _ values: [Value]) throws(PageRefusal) -> Value? {
    guard let text = self[name] else { return nil }
    guard let value = values.first(where: { $0.rawValue == text }) else {
      throw PageRefusal(
        .badRequest, "\(name) is one of \(values.map(\.rawValue).joined(separator: ", ")); it is \(text).")
    }
    return value
  }

  /// Returns a parameter that is a number; nil if it is missing.
  ///
  /// - Throws: ``PageRefusal`` if the value is not a number in `range`.
  package func number(_ name: String, _ range: ClosedRange<Int64>) throws(PageRefusal) -> Int64? {
    guard let text = self[name] else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw PageRefusal(
        .badRequest, "\(name) is a number from \(range.lowerBound) to \(range.upperBound); it is \(text).")
    }
    return number
  }
}
