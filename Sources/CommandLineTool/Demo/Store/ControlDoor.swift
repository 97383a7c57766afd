import Foundation
import HTTPExchange

/// The store as an operator sees it, over its control door and `verifyReceipt`.
struct ControlDoor: Sendable {
  let address: URL
  private let transport = SystemTransport()

  init(address: URL) { self.address = address }

  func connection() async throws -> Connection { try await answer("GET", "control/v1/connection") }

  /// Oldest first.
  func transactions() async throws -> [Transaction] {
    let answer: [String: [Transaction]] = try await answer("GET", "control/v1/transactions")
    return Array((answer["transactions"] ?? []).reversed())
  }

  /// Oldest first.
  func charges() async throws -> [Charge] {
    let answer: [String: [Charge]] = try await answer("GET", "control/v1/charges")
    return Array((answer["charges"] ?? []).reversed())
  }

  func verifyReceipt(_ receipt: Data, environment: String) async throws -> Verification {
    let question = try JSONEncoder().encode(["receipt-data": receipt.base64EncodedString()])
    return try await answer("POST", "\(environment)/verifyReceipt", question)
  }

  // MARK: Asking

  /// Asks for an answer that is to be read.
  func answer<Answer: Decodable>(_ method: String, _ path: String, _ json: Data? = nil) async throws -> Answer {
    try JSONDecoder().decode(Answer.self, from: try await expect(method, path, json))
  }

  /// Asks, and returns what is answered.
  ///
  /// - Throws: ``DemoFailure`` where that is a refusal.
  @discardableResult
  func expect(_ method: String, _ path: String, _ json: Data?) async throws -> Data {
    guard let url = URL(string: "\(address.absoluteString)/\(path)") else { throw DemoFailure("\(path) is no path.") }
    let reply = try await transport.reply(
      to: HTTPCall(method, url, fields: json == nil ? [:] : ["Content-Type": "application/json"], body: json))
    guard (200..<300).contains(reply.status) else {
      throw DemoFailure("\(method) \(path) was refused: \(String(decoding: reply.body, as: UTF8.self))")
    }
    return reply.body
  }
}
