import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

/// A response of `verifyReceipt`, parsed from its bytes as a client does.
struct VerifyReceiptAnswer: @unchecked Sendable {
  let json: [String: Any]

  init(_ body: Data) throws { json = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any]) }

  /// Sends `receipt` to the endpoint of `environment`.
  init(
    _ shop: TeaShop, _ receipt: Data, password: Any? = nil, excludesOldTransactions: Bool? = nil,
    at environment: StoreEnvironment = .sandbox
  ) async throws {
    try self.init(
      try await Self.body(
        shop, receipt, password: password, excludesOldTransactions: excludesOldTransactions, at: environment))
  }

  /// Returns the body of the response of the endpoint of `environment` to `receipt`.
  static func body(
    _ shop: TeaShop, _ receipt: Data, password: Any? = nil, excludesOldTransactions: Bool? = nil,
    at environment: StoreEnvironment
  ) async throws -> Data {
    var request: [String: Any] = ["receipt-data": receipt.base64EncodedString()]
    request["password"] = password
    request["exclude-old-transactions"] = excludesOldTransactions
    let body = try JSONSerialization.data(withJSONObject: request)
    return try await shop.store.verifyReceipt(body, at: environment).body
  }

  var status: Int? { json["status"] as? Int }
  var receipt: [String: Any] { json["receipt"] as? [String: Any] ?? [:] }
  /// The flat transaction of a legacy receipt; empty if one of its values is not a string.
  var transaction: [String: String] { json["receipt"] as? [String: String] ?? [:] }
  /// The in-app purchases of an app receipt; empty if one of their values is not a string.
  var inApp: [[String: String]] { receipt["in_app"] as? [[String: String]] ?? [] }
  /// `latest_receipt_info` of an app receipt; empty if it is missing or a value is not a string.
  var latest: [[String: String]] { json["latest_receipt_info"] as? [[String: String]] ?? [] }
  /// `pending_renewal_info`; empty if it is missing or a value is not a string.
  var pending: [[String: String]] { json["pending_renewal_info"] as? [[String: String]] ?? [] }
  /// `latest_receipt`, decoded.
  var latestReceipt: Data? { (json["latest_receipt"] as? String).flatMap { Data(base64Encoded: $0) } }
}
