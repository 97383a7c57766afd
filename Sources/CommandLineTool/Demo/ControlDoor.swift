import Foundation
import FoundationNetworking
import SampleModel

/// The store as an operator sees it, over its control door and `verifyReceipt`.
struct ControlDoor: Sendable {
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

  struct JournaledRequest: Decodable, Sendable {
    let call: String
    let paymentId: String?
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

  // MARK: Steering the store

  /// The requests that devices made and that `query` admits.
  func requests(_ query: String) async throws -> [JournaledRequest] {
    struct Journal: Decodable { let requests: [JournaledRequest] }
    let journal: Journal = try await answer(to: try request("GET", "requests?\(query)"))
    return journal.requests
  }

  /// Returns once there is a request that `query` admits.
  func waitForRequest(_ query: String) async throws {
    try await repeatUntil { try await !requests(query).isEmpty }
  }

  /// Returns once the fault `id` holds a request.
  func waitUntilHeld(_ id: String) async throws {
    struct Report: Decodable { let waiting: Int }
    try await repeatUntil {
      let report: Report = try await answer(to: try request("GET", "faults/\(id)"))
      return report.waiting > 0
    }
  }

  /// The control door tells nothing by itself, so it is asked until it says so.
  private func repeatUntil(_ condition: () async throws -> Bool) async throws {
    for _ in 0..<5_000 {
      if try await condition() { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw DemoFailure("The store never came to the state that was waited for.")
  }

  func post(_ path: String, _ json: String) async throws { try await send("POST", path, json) }

  func delete(_ path: String) async throws { try await send("DELETE", path, nil) }

  func change(customer json: String) async throws { try await send("PATCH", "customers/sandbox/customer", json) }

  /// - Parameter price: in thousandths of the currency.
  func change(price: Int64, of product: String) async throws {
    try await send(
      "PATCH", "apps/\(SampleCatalog.bundleIdentifier)/products/\(product)", #"{"price": \#(price)}"#)
  }

  /// Has the store sell the same in another app, too.
  func serve(_ app: String) async throws {
    let catalog = String(decoding: Data(PackageResources.SampleApp_storekit), as: UTF8.self)
    try await send("PUT", "apps/\(app)", #"{"configurations": [\#(catalog)]}"#)
  }

  /// Gives the money for a transaction back.
  func refund(_ transaction: String) async throws { try await send("POST", "transactions/\(transaction)/refund", "{}") }

  /// Decides the one payment that waits for approval.
  func decideApproval(_ decision: String) async throws {
    struct Approvals: Decodable {
      struct Approval: Decodable {
        let installationId: String
        let paymentId: String
      }

      let approvals: [Approval]
    }
    let waiting: Approvals = try await answer(to: try request("GET", "approvals"))
    guard let approval = waiting.approvals.first else { throw DemoFailure("No payment waits for approval.") }
    try await send(
      "POST", "approvals/\(approval.installationId)/\(approval.paymentId)", #"{"decision": "\#(decision)"}"#)
  }

  private func send(_ method: String, _ path: String, _ json: String?) async throws {
    var request = try request(method, path)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = json.map { Data($0.utf8) }
    let (body, response) = try await URLSession.shared.data(for: request)
    guard let status = (response as? HTTPURLResponse)?.statusCode, (200..<300).contains(status) else {
      throw DemoFailure("\(method) \(path) was refused: \(String(decoding: body, as: UTF8.self))")
    }
  }

  private func request(_ method: String, _ path: String) throws -> URLRequest {
    guard let url = URL(string: "\(address.absoluteString)/control/v1/\(path)") else {
      throw DemoFailure("\(path) is no path.")
    }
    var request = URLRequest(url: url)
    request.httpMethod = method
    return request
  }

  private func get<Answer: Decodable>(_ path: String) async throws -> Answer {
    try await answer(to: URLRequest(url: address.appending(path: path)))
  }

  private func answer<Answer: Decodable>(to request: URLRequest) async throws -> Answer {
    let (body, _) = try await URLSession.shared.data(for: request)
    return try JSONDecoder().decode(Answer.self, from: body)
  }
}
