import Foundation
import StoreModel

/// The body of a `verifyReceipt` request. Implements Apple's "requestBody" (App Store Receipts).
struct VerifyReceiptRequest {
  /// Thrown when the request cannot be processed.
  struct Refusal: Error, Equatable {
    let status: VerifyReceiptStatus
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
  /// Apple does not document values of a wrong type. These rules are the emulator's own:
  /// - null is the same as a missing value.
  /// - `receipt-data` that is not text is an invalid receipt, 21002.
  /// - `password` that is not text is a wrong password, 21004.
  /// - `exclude-old-transactions` may be 1 or 0, as some languages write booleans. Other values make the request
  ///   unreadable, 21000, so that tests detect the mistake, although the real store might accept it.
  /// - Unknown keys are ignored.
  init(_ body: Data) throws(Refusal) {
    guard let object = try? BoundedJSON.object(from: body) as? [String: Any] else {
      throw Refusal(status: .unreadableRequest)
    }
    func value(_ key: String) -> Any? { object[key].flatMap { $0 is NSNull ? nil : $0 } }

    switch value("exclude-old-transactions") {
    case nil: excludesOldTransactions = false
    case let flag as Bool: excludesOldTransactions = flag
    default: throw Refusal(status: .unreadableRequest)
    }
    switch value("password") {
    case nil: password = .none
    case let text as String: password = .text(text)
    default: password = .unusable
    }
    // Some callers wrap base64 in lines, so unknown characters are ignored. Strict decoding is tried first, because it
    // is faster.
    guard let text = value("receipt-data") as? String,
      let data = Data(base64Encoded: text) ?? Data(base64Encoded: text, options: .ignoreUnknownCharacters),
      !data.isEmpty
    else { throw Refusal(status: .malformedReceipt) }
    let first = data.first { $0 != 0x20 && !(0x09...0x0D).contains($0) }
    receipt = first == UInt8(ascii: "{") ? .legacy(data) : .app(data)
  }
}
