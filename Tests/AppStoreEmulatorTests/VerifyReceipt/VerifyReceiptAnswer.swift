import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

/// An answer of `verifyReceipt`, read as a client reads it: from its bytes.
struct VerifyReceiptAnswer: @unchecked Sendable {
  let json: [String: Any]

  init(_ body: Data) throws { json = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any]) }

  /// Sends `receipt` to the door of `environment`.
  init(
    _ shop: TeaShop, _ receipt: Data, password: Any? = nil, at environment: StoreEnvironment = .sandbox
  ) async throws {
    try self.init(try await Self.body(shop, receipt, password: password, at: environment))
  }

  /// The bytes of the answer to `receipt` at the door of `environment`.
  static func body(
    _ shop: TeaShop, _ receipt: Data, password: Any? = nil, at environment: StoreEnvironment
  ) async throws -> Data {
    var request: [String: Any] = ["receipt-data": receipt.base64EncodedString()]
    request["password"] = password
    let body = try JSONSerialization.data(withJSONObject: request)
    return try await shop.store.verifyReceipt(body, at: environment).body()
  }

  var status: Int? { json["status"] as? Int }
  var receipt: [String: Any] { json["receipt"] as? [String: Any] ?? [:] }
  /// The flat transaction of a legacy receipt; empty if a value is something else than a string.
  var transaction: [String: String] { json["receipt"] as? [String: String] ?? [:] }
  /// Every value in it is a string; were one something else, the list would be empty.
  var inApp: [[String: String]] { receipt["in_app"] as? [[String: String]] ?? [] }
}
