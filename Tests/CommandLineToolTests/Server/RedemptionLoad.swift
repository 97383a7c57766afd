import AsyncHTTPClient
import Foundation
import NIOCore
import StoreModel

/// A load test: many clients of one or more servers, which repeat requests until they get a response, while servers are killed.
struct RedemptionLoad: Sendable {
  /// The result of a run.
  struct Result: Sendable {
    var tokens: [String]
    /// The customer who redeemed each purchase.
    var owners: [String: Int] = [:]
    /// Descriptions of purchases that two customers redeemed, and of unexpected responses.
    var contradictions: [String] = []
    /// The number of successful spends of each customer.
    var spends: [Int: Int] = [:]
  }

  struct Movement: Decodable, Sendable {
    let cause: String
    let amount: Int64
    let balance: Int64
  }

  private struct Answer: Sendable {
    let status: UInt
    let body: Data
  }

  private static let customers = 8
  /// The number of responses between two kills.
  private static let answersBetweenKills = 150

  private let processes: ServerProcesses
  private let ports: [Int]
  private let path = "/v1/apps/\(CoinStore.app)"

  init(processes: ServerProcesses, ports: [Int]) {
    self.processes = processes
    self.ports = ports
  }

  func publishCoins(_ operatorKey: String) async throws {
    let product = #"{"type": "Consumable", "credits": {"unit": "coins", "amount": 5}}"#
    _ = try await send(
      .put, "/v1/operator/apps/\(CoinStore.app)/products/\(CoinStore.coins)", operatorKey, Data(product.utf8), client: 0
    )
  }

  /// - Parameter proofs: signed transactions. A purchase can have several, signed before and after a refund was reversed.
  func run(_ proofs: [String]) async throws -> Result {
    var result = Result(tokens: [])
    for _ in 0..<Self.customers {
      let answer = try await send(.post, "\(path)/installations", nil, Data("{}".utf8), client: 0)
      struct Installation: Decodable { let token: String }
      result.tokens.append(try JSONDecoder().decode(Installation.self, from: answer.body).token)
    }
    let tokens = result.tokens
    let (answers, answered) = AsyncStream.makeStream(of: Void.self)
    let outcomes = try await withThrowingTaskGroup(of: [Outcome].self) { group in
      for client in 0..<64 {
        group.addTask { try await redeemAndSpend(proofs, tokens, client) { answered.yield() } }
      }
      let killer = Task {
        var count = 0
        for await _ in answers {
          count += 1
          if count.isMultiple(of: Self.answersBetweenKills) {
            try await processes.kill(count / Self.answersBetweenKills % ports.count)
          }
        }
      }
      let outcomes = try await group.reduce(into: []) { $0 += $1 }
      answered.finish()
      try await killer.value
      return outcomes
    }
    for outcome in outcomes { result.add(outcome) }
    return result
  }

  func movements(_ token: String) async throws -> [Movement] {
    struct Page: Decodable { let movements: [Movement] }
    let answer = try await send(.get, "\(path)/credits/coins/movements?limit=1000", token, nil, client: 0)
    return try JSONDecoder().decode(Page.self, from: answer.body).movements
  }

  // MARK: One client

  enum Outcome: Sendable {
    case granted(purchase: String, customer: Int)
    case spent(customer: Int)
    case unexpected(String)
  }

  private func redeemAndSpend(
    _ proofs: [String], _ tokens: [String], _ client: Int, _ answered: () -> Void
  ) async throws -> [Outcome] {
    var generator = SeededGenerator(seed: UInt64(client))
    let customer = client % tokens.count
    var outcomes: [Outcome] = []
    for proof in proofs.shuffled(using: &generator) {
      let id = try Self.transactionID(of: proof)
      let request: [String: Any] = ["proof": ["signedTransaction": proof], "purchases": [["transactionId": id]]]
      let body = try JSONSerialization.data(withJSONObject: request)
      let answer = try await send(.post, "\(path)/redemptions", tokens[customer], body, client: client)
      switch answer.status {
      case 200: outcomes.append(.granted(purchase: id, customer: customer))
      case 409: break
      // Expected until a client sends the proof that the refund was reversed.
      case 410 where String(decoding: answer.body, as: UTF8.self).contains("\"refunded\""): break
      default: outcomes.append(.unexpected("\(answer.status): \(String(decoding: answer.body, as: UTF8.self))"))
      }
      answered()
    }
    let spend = Data(#"{"key": "of client \#(client)", "amount": 1}"#.utf8)
    let answer = try await send(.post, "\(path)/credits/coins/spends", tokens[customer], spend, client: client)
    if answer.status == 200 { outcomes.append(.spent(customer: customer)) }
    answered()
    return outcomes
  }

  static func transactionID(of proof: String) throws -> String {
    let part = String(proof.split(separator: ".")[1]).replacing("-", with: "+").replacing("_", with: "/")
    let padded = part.appending(String(repeating: "=", count: (4 - part.count % 4) % 4))
    struct Payload: Decodable { let transactionId: String }
    return try JSONDecoder().decode(Payload.self, from: Data(base64Encoded: padded) ?? Data()).transactionId
  }

  /// Sends a request to one server after the other until one responds.
  private func send(
    _ method: HTTPMethodName, _ path: String, _ token: String?, _ body: Data?, client: Int
  ) async throws -> Answer {
    var attempt = client
    while true {
      attempt += 1
      var request = HTTPClientRequest(url: "http://127.0.0.1:\(ports[attempt % ports.count])\(path)")
      request.method = .init(rawValue: method.rawValue)
      if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
      if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
      do {
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
        let answer = Data(buffer: try await response.body.collect(upTo: 1 << 20))
        // The server is overloaded or shutting down. A client must retry.
        if response.status.code < 500, ![408, 429].contains(response.status.code) {
          return Answer(status: response.status.code, body: answer)
        }
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        // The server was killed before, during or after the request. The client retries.
        await Task.yield()
      }
    }
  }

  private enum HTTPMethodName: String {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
  }
}

extension RedemptionLoad.Result {
  fileprivate mutating func add(_ outcome: RedemptionLoad.Outcome) {
    switch outcome {
    case .granted(let purchase, let customer):
      if let owner = owners[purchase], owner != customer {
        contradictions.append("\(purchase) was granted to \(owner) and to \(customer)")
      }
      owners[purchase] = customer
    case .spent(let customer): spends[customer, default: 0] += 1
    case .unexpected(let what): contradictions.append(what)
    }
  }
}
