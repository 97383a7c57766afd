import Foundation
import FoundationNetworking

/// The store as an operator sees it, over its control door and `verifyReceipt`.
struct StoreBooks: Sendable {
  let address: URL

  struct Connection: Decodable, Sendable {
    let rootCertificate: Data
    let receiptRootCertificate: Data
    let sharedSecret: String
  }

  struct Transaction: Decodable, Hashable, Sendable {
    let transactionId: String
    let productId: String
    let quantity: Int
    /// In thousandths of the currency.
    let price: Int64
    let finishedDate: Int64?
  }

  struct Charge: Decodable, Hashable, Sendable {
    let transactionId: String
    /// In thousandths of the currency.
    let amount: Int64
    let currency: String
  }

  struct Verification: Decodable, Sendable {
    struct Receipt: Decodable, Sendable {
      let inApp: [[String: String]]

      private enum CodingKeys: String, CodingKey { case inApp = "in_app" }
    }

    let status: Int
    let environment: String?
    let receipt: Receipt?
  }

  func connection() async throws -> Connection { try await get("control/v1/connection") }

  /// Oldest first.
  func transactions() async throws -> [Transaction] {
    let answer: [String: [Transaction]] = try await get("control/v1/transactions")
    return Array((answer["transactions"] ?? []).reversed())
  }

  /// Oldest first.
  func charges() async throws -> [Charge] {
    let answer: [String: [Charge]] = try await get("control/v1/charges")
    return Array((answer["charges"] ?? []).reversed())
  }

  func verifyReceipt(_ receipt: Data, environment: String) async throws -> Verification {
    var request = URLRequest(url: address.appending(path: "\(environment)/verifyReceipt"))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONEncoder().encode(["receipt-data": receipt.base64EncodedString()])
    return try await answer(to: request)
  }

  private func get<Answer: Decodable>(_ path: String) async throws -> Answer {
    try await answer(to: URLRequest(url: address.appending(path: path)))
  }

  private func answer<Answer: Decodable>(to request: URLRequest) async throws -> Answer {
    let (body, _) = try await URLSession.shared.data(for: request)
    return try JSONDecoder().decode(Answer.self, from: body)
  }
}
