import Foundation
import StoreModel

/// The body of a `verifyReceipt` request. Implements Apple's "requestBody" (App Store Receipts).
struct VerifyReceiptRequest {
  /// Thrown when the request cannot be processed.
  struct Refusal: Error, Equatable {
    let status: VerifyReceiptStatus
    /// The rule that the request breaks, for the request journal.
    let reason: String
  }

  /// The value of `password`. The answer reveals that it is wrong only if the receipt is genuine.
  enum Password: Equatable {
    case none
    case text(String)
    /// The value is not text, so it cannot match the shared secret of an app.
    case unusable
  }

  /// The decoded `receipt-data`, and the kind of receipt that it seems to be. It is not parsed yet.
  enum Receipt: Equatable {
    /// Apple's endpoint ignores bytes after the receipt, so they are left out.
    case app(Data)
    /// An old-style property list, which begins with `{`.
    case legacy(Data)
  }

  let receipt: Receipt
  let password: Password
  /// `exclude-old-transactions`: `latest_receipt_info` omits the older transactions of each subscription.
  let excludesOldTransactions: Bool

  /// Reads a request's body.
  ///
  /// As at Apple's endpoint, unknown keys are ignored, the last of two equal keys counts, and `receipt-data` that is
  /// missing or not text is an invalid receipt, 21002. The base64 rules are those of ``ReceiptDataEncoding``.
  ///
  /// For other values of a wrong type, the rules are the emulator's own:
  /// - null is the same as a missing value.
  /// - `password` that is not text is a wrong password, 21004.
  /// - `exclude-old-transactions` may be 1 or 0, as some languages write booleans. Other values make the request
  ///   unreadable, 21000, so that tests detect the mistake, although the real store might accept it.
  ///
  /// - Parameter ignoresWhiteSpace: whether white space in base64 is ignored (``StoreSettings/lenientBase64``).
  init(_ body: Data, ignoresWhiteSpace: Bool = false) throws(Refusal) {
    // JSONSerialization keeps the last of two equal keys, unlike JSONDecoder.
    guard let object = try? BoundedJSON.object(from: Self.escapingByteOrderMarks(in: body)) as? [String: Any] else {
      throw Refusal(status: .unreadableRequest, reason: "the body is not a JSON object")
    }
    func value(_ key: String) -> Any? { object[key].flatMap { $0 is NSNull ? nil : $0 } }

    switch value("exclude-old-transactions") {
    case nil: excludesOldTransactions = false
    case let flag as Bool: excludesOldTransactions = flag
    default:
      throw Refusal(status: .unreadableRequest, reason: "exclude-old-transactions is neither true nor false")
    }
    switch value("password") {
    case nil: password = .none
    case let text as String: password = .text(text)
    default: password = .unusable
    }
    switch object["receipt-data"] {
    case let text as String: receipt = try ReceiptDataEncoding.receipt(text, ignoresWhiteSpace: ignoresWhiteSpace)
    case nil: throw Refusal(status: .malformedReceipt, reason: "receipt-data is missing")
    default: throw Refusal(status: .malformedReceipt, reason: "receipt-data is not a string")
    }
  }

  /// Escapes byte order marks, because JSONSerialization removes them from the beginning of strings, and would so make
  /// a wrong receipt right. One at the beginning of the body does not matter.
  private static func escapingByteOrderMarks(in body: Data) -> Data {
    let mark = Data([0xEF, 0xBB, 0xBF])
    let start = body.startIndex + (body.starts(with: mark) ? mark.count : 0)
    guard body.range(of: mark, in: start..<body.endIndex) != nil else { return body }
    var escaped = Data()
    var rest = body[start...]
    while let found = rest.range(of: mark) {
      escaped += rest[..<found.lowerBound] + Data("\\ufeff".utf8)
      rest = rest[found.upperBound...]
    }
    return escaped + rest
  }
}
