import Foundation
import StoreModel

/// One object of an answer: a purchase, or what the receipt says of itself. Names of one name's values, checked when they
/// are asked for.
struct AnswerRecord: Decodable, Hashable, Sendable {
  private let values: [String: AnswerValue]

  init(from decoder: any Decoder) throws { values = try [String: AnswerValue](from: decoder) }

  /// The value, or nil if it is missing, null or an empty string, as the store writes what does not apply.
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

  /// A date by its UNIX milliseconds; the other two forms of a date are for people.
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

  /// 1970 to the year 9999.
  private static let dates: ClosedRange<Int64> = 0...253_402_300_799_999
}

/// What must be there.
func required<Value>(_ value: Value?, _ name: String) throws(AnswerFault) -> Value {
  guard let value else { throw .unreadable("\(name) is missing") }
  return value
}
