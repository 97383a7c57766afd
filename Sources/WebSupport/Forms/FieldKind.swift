import Foundation
import SignedData
import StoreModel

/// The rules by which the text of a field becomes JSON.
///
/// A member with an empty text is omitted, except in a body for the kinds `wholeText`, `textOrNull`, `wholeTexts` and `object`. A text
/// that does not fit its kind becomes a JSON string, which the `curl` command shows. ``problem(_:)`` reports the error.
package enum FieldKind: String, Sendable, CaseIterable {
  /// A string.
  case text
  /// A string, also an empty one.
  case wholeText
  /// A string; null for an empty text.
  case textOrNull
  /// A number. The JSON contains the typed digits unchanged.
  case number
  /// A decimal number with up to three decimals, in thousandths: `1.99` becomes 1990.
  case thousandths
  /// A ``TypedSpan`` such as `90 s` or `1d12h`, in milliseconds.
  case duration
  /// A ``TypedSpan`` of whole seconds, in seconds.
  case seconds
  /// A date such as `2026-07-01 12:00:00` or `2026-07-01T12:00:00+02:00`, in UNIX milliseconds.
  case date
  /// `true` or `false`.
  case flag
  /// An array of the words in the text.
  case texts
  /// An array of the words in the text, also an empty one.
  case wholeTexts
  /// An object that is sent even if it has no members.
  case object
  /// A JSON object, typed as JSON.
  case jsonObject

  /// The JSON of `text`; nil if the member is omitted.
  func json(_ text: String) -> String? {
    let word = text.trimming
    switch self {
    case .text: return text.isEmpty ? nil : JSONText.string(text)
    case .wholeText: return JSONText.string(text)
    case .textOrNull: return text.isEmpty ? "null" : JSONText.string(text)
    case .object: return "{}"
    case .texts, .wholeTexts:
      let texts = word.unicodeScalars.split(separator: " ").map { JSONText.string(String($0)) }
      return texts.isEmpty && self == .texts ? nil : "[" + texts.joined(separator: ",") + "]"
    case .number: return word.isEmpty ? nil : Self.isNumber(word) ? word : JSONText.string(text)
    case .flag: return word.isEmpty ? nil : word == "true" || word == "false" ? word : JSONText.string(text)
    case .jsonObject: return word.isEmpty ? nil : Self.isObject(word) ? word : JSONText.string(text)
    case .thousandths: return word.isEmpty ? nil : Self.thousandths(word) ?? JSONText.string(text)
    case .duration: return word.isEmpty ? nil : TypedSpan(word).map { "\($0.milliseconds)" } ?? JSONText.string(text)
    case .seconds:
      return word.isEmpty ? nil : TypedSpan(word)?.wholeSeconds.map { "\($0)" } ?? JSONText.string(text)
    case .date:
      return word.isEmpty ? nil : StoreDate(typed: word).map { "\($0.millisecondsSince1970)" } ?? JSONText.string(text)
    }
  }

  /// Describes, for the user, which texts are accepted; nil if `text` is one of them.
  func problem(_ text: String) -> String? {
    if self == .jsonObject, Self.isObject(text.trimming),
      let problem = JSONCheck.problem(in: Data(text.trimming.utf8))
    {
      return "The JSON does not fit: \(problem)."
    }
    let accepted: String
    switch self {
    case .text, .wholeText, .textOrNull, .texts, .wholeTexts, .object: return nil
    case .number: accepted = "a number, such as 2 or 0.5"
    case .thousandths: accepted = "a number with at most three decimals, such as 1.99"
    case .duration: accepted = "a time span of whole numbers with ms, s, min, h, d or w, such as 90 s or 1d12h"
    case .seconds: accepted = "a time span of whole seconds, with s, min, h, d or w, such as 90 s or 1d12h"
    case .date:
      accepted =
        "a date, such as 2026-07-01 or 2026-07-01 12:00:00, which is in UTC, or 2026-07-01T12:00:00+02:00"
    case .flag: accepted = "true or false"
    case .jsonObject: accepted = #"a JSON object, such as {"headline": "Join the club"}"#
    }
    guard let json = json(text), json.hasPrefix("\"") else { return nil }
    return "“\(text)” is not \(accepted)."
  }

  private static func isNumber(_ text: String) -> Bool {
    text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+\-]?[0-9]+)?/) != nil
  }

  private static func isObject(_ text: String) -> Bool {
    (try? BoundedJSON.object(from: Data(text.utf8))) is [String: Any]
  }

  private static func thousandths(_ text: String) -> String? {
    guard let match = text.wholeMatch(of: /(-?)([0-9]{1,15})(?:\.([0-9]{1,3}))?/) else { return nil }
    let places = String(match.3 ?? "")
    let digits = match.2 + places + String(repeating: "0", count: 3 - places.count)
    let significant = digits.drop { $0 == "0" }
    return significant.isEmpty ? "0" : "\(match.1)\(significant)"
  }
}

extension String {
  /// The text without leading and trailing white space.
  fileprivate var trimming: String {
    let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
    let scalars = unicodeScalars.drop(while: isBlank)
    return String(String.UnicodeScalarView(scalars.reversed().drop(while: isBlank).reversed()))
  }
}
