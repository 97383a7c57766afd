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
    var request: [String: Any] = ["receipt-data": receipt.base64EncodedString()]
    request["password"] = password
    let body = try JSONSerialization.data(withJSONObject: request)
    try self.init(try await shop.store.verifyReceipt(body, at: environment).body())
  }

  var status: Int? { json["status"] as? Int }
  var receipt: [String: Any] { json["receipt"] as? [String: Any] ?? [:] }
  /// Every value in it is a string; were one something else, the list would be empty.
  var inApp: [[String: String]] { receipt["in_app"] as? [[String: String]] ?? [] }
}
