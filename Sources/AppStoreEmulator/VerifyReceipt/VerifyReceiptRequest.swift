import Foundation
import StoreModel

/// What `verifyReceipt` is asked. Implements Apple's "requestBody" (App Store Receipts).
struct VerifyReceiptRequest {
  /// Why there is nothing to look at.
  struct Refusal: Error, Equatable {
    let status: VerifyReceiptStatus
  }

  /// What was given as `password`. That it is wrong is told only to whoever has a genuine receipt.
  enum Password: Equatable {
    case none
    case text(String)
    /// Not text, and so no app's secret.
    case unusable
  }

  /// What `receipt-data` looks like, decoded. Nothing in it has been read yet.
  enum Receipt: Equatable {
    case app(Data)
    /// An old-style property list, which begins with a brace.
    case legacy(Data)
  }

  let receipt: Receipt
  let password: Password
  /// `exclude-old-transactions`: only the newest transaction of each subscription is wanted.
  let excludesOldTransactions: Bool

  /// Reads a request's body.
  ///
  /// Apple says nothing of values of a wrong type, so this store decides. null is as if nothing was given.
  /// `receipt-data` that is not text is no receipt, 21002. A `password` that is not text is a wrong one, 21004.
  /// `exclude-old-transactions` may be 1 or 0, as some languages write their booleans; what is neither makes the
  /// request unreadable, 21000: a test should find out what the real store might read otherwise. Unknown keys are
  /// passed over.
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
    // Senders wrap base64 in lines, which a receipt's reader should pass over.
    guard let text = value("receipt-data") as? String,
      let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters), !data.isEmpty
    else { throw Refusal(status: .malformedReceipt) }
    let first = data.first { $0 != 0x20 && !(0x09...0x0D).contains($0) }
    receipt = first == UInt8(ascii: "{") ? .legacy(data) : .app(data)
  }
}
