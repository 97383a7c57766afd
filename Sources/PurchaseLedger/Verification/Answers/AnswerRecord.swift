import Foundation
import StoreModel

/// A JSON object of an answer: a purchase, or the receipt's own properties. Values are checked when they are read.
struct AnswerRecord: Decodable, Hashable, Sendable {
  private let values: [String: AnswerValue]

  init(from decoder: any Decoder) throws { values = try [String: AnswerValue](from: decoder) }

  /// Returns the value; nil if it is missing, null or an empty string. The store uses all three forms for values that
  /// do not apply.
  private func value(_ name: String) -> AnswerValue? {
    switch values[name] {
    case nil, .null, .text(""): nil
    case let value: value
    }
  }

  func text(_ name: String) throws(AnswerFault) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.asText else { throw .unreadable("\(name) is no text") }
    return text
  }

  func number(_ name: String, in range: ClosedRange<Int64>) throws(AnswerFault) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let number = value.asNumber, range.contains(number) else {
      throw .unreadable("\(name) is no number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func flag(_ name: String) throws(AnswerFault) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let flag = value.asFlag else { throw .unreadable("\(name) is neither true nor false") }
    return flag
  }

  /// Reads a date in UNIX milliseconds. The two human-readable formats of each date in the answer are ignored.
  func date(_ name: String) throws(AnswerFault) -> StoreDate? {
    try number(name, in: Self.dates).map(StoreDate.init(millisecondsSince1970:))
  }

  func transactionID(_ name: String) throws(AnswerFault) -> TransactionID? {
    guard let text = try text(name) else { return nil }
    guard let id = TransactionID(rawValue: text) else { throw .unreadable("\(name) is not 1 to 20 decimal digits") }
    return id
  }

  func uuid(_ name: String) throws(AnswerFault) -> UUID? {
    guard let text = try text(name) else { return nil }
    guard let uuid = UUID(uuidString: text) else { throw .unreadable("\(name) is no UUID") }
    return uuid
  }

  /// The valid dates: 1970 to the year 9999.
  private static let dates: ClosedRange<Int64> = 0...253_402_300_799_999
}

/// Returns the value, or throws if it is missing.
func required<Value>(_ value: Value?, _ name: String) throws(AnswerFault) -> Value {
  guard let value else { throw .unreadable("\(name) is missing") }
  return value
}
