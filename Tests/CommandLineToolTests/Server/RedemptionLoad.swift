import Foundation
import StoreModel

/// A load test: many clients of one or more servers, which repeat requests until they get a response, while servers are killed.
struct RedemptionLoad: Sendable {
  /// A customer of the app, with the token of its installation.
  struct Customer: Hashable, Sendable, Decodable {
    let customer: String
    let token: String
  }

  /// A change that a customer or an operator has named by a key.
  struct KeyedChange: Hashable, Sendable {
    let customer: String
    let key: String
  }

  /// What the servers have acknowledged to the clients.
  struct Result: Sendable {
    /// The id of the customer to whom each purchase was granted.
    var owners: [String: String] = [:]
    var spends: Set<KeyedChange> = []
    /// Descriptions of purchases that two customers redeemed, and of unexpected responses.
    var contradictions: [String] = []
  }

  /// Actions that are done one after the other, each after a number of further answers to the clients.
  struct PacedActions: Sendable {
    let answersBetween: Int
    let actions: [@Sendable () async throws -> Void]

    /// Does the actions; those that are left at the end of the answers, too.
    fileprivate func run(_ answers: AsyncStream<Void>) async throws {
      var (count, rest) = (0, actions[...])
      for await _ in answers {
        count += 1
        if count.isMultiple(of: answersBetween), let next = rest.popFirst() { try await next() }
      }
      for action in rest { try await action() }
    }
  }

  static let clients = 64

  let client: LoadClient
  private let path = "/v1/apps/\(CoinStore.app)"

  init(_ client: LoadClient) { self.client = client }

  /// The number of answers that the clients get in a run.
  static func answers(_ proofs: [String]) -> Int { clients * (proofs.count + 2) }

  func register() async throws -> Customer {
    try await client.send("POST", "\(path)/installations", nil, [:]).decoded()
  }

  /// - Parameters:
  ///   - proofs: signed transactions. A purchase can have several, signed before and after a refund was reversed.
  ///   - customers: each has some of the clients.
  ///   - erased: the customer whom an operator erases meanwhile.
  ///   - others: what happens at the same time.
  func run(
    _ proofs: [String], for customers: [Customer], erased: Customer, beside others: [PacedActions]
  ) async throws -> Result {
    let streams = others.map { _ in AsyncStream.makeStream(of: Void.self) }
    return try await withThrowingTaskGroup(of: [Outcome].self) { group in
      for number in 0..<Self.clients {
        let customer = customers[number % customers.count]
        group.addTask {
          try await act(proofs, customer, number, isErased: customer == erased) {
            for (_, answered) in streams { answered.yield() }
          }
        }
      }
      let beside = zip(others, streams).map { actions, stream in Task { try await actions.run(stream.stream) } }
      var result = Result()
      do {
        for try await outcomes in group { for outcome in outcomes { result.add(outcome) } }
      } catch {
        for task in beside { task.cancel() }
        throw error
      }
      for (_, answered) in streams { answered.finish() }
      for task in beside { try await task.value }
      return result
    }
  }

  struct Movement: Decodable, Sendable {
    let amount: Int64
    let balance: Int64
  }

  /// The movements of a customer's coins, the newest first.
  func movements(of customer: Customer) async throws -> [Movement] {
    struct Page: Decodable { let movements: [Movement] }
    return try await client.send("GET", "\(path)/credits/coins/movements?limit=1000", customer.token)
      .decoded(Page.self).movements
  }

  // MARK: Requests

  enum Outcome: Sendable {
    case granted(purchase: String, customer: String)
    case spent(KeyedChange)
    case unexpected(String)
  }

  /// Redeems all purchases in an order of its own, and spends a coin in between and at the end.
  private func act(
    _ proofs: [String], _ customer: Customer, _ number: Int, isErased: Bool, _ answered: () -> Void
  ) async throws -> [Outcome] {
    var generator = SeededGenerator(seed: UInt64(number))
    var outcomes: [Outcome] = []
    for (index, proof) in proofs.shuffled(using: &generator).enumerated() {
      let answer = try await redeem(proof, customer, first: number)
      let id = try Self.transactionID(of: proof)
      switch answer.status {
      case 200: outcomes.append(.granted(purchase: id, customer: customer.customer))
      case 409: break
      // Expected while the store or an older proof says that the purchase is refunded.
      case 410 where answer.text.contains("\"refunded\""): break
      case 401 where isErased: break
      default: outcomes.append(.unexpected("\(answer.status): \(answer.text)"))
      }
      answered()
      if index == proofs.count / 2 || index == proofs.count - 1 {
        let key = "of client \(number) after \(index)"
        let spent = try await spend(1, key, customer, first: number)
        switch spent.status {
        case 200: outcomes.append(.spent(KeyedChange(customer: customer.customer, key: key)))
        // Expected if the customer has no coins, or a refund of spent coins blocks spending.
        case 409 where !spent.text.contains("keyReused"): break
        case 401 where isErased: break
        default: outcomes.append(.unexpected("\(spent.status): \(spent.text)"))
        }
        answered()
      }
    }
    return outcomes
  }

  func redeem(_ proof: String, _ customer: Customer, first: Int = 0) async throws -> LoadClient.Answer {
    try await client.send(
      "POST", "\(path)/redemptions", customer.token,
      [
        "proof": ["signedTransaction": proof],
        "purchases": [["transactionId": try Self.transactionID(of: proof)]],
      ], first: first)
  }

  func spend(_ amount: Int, _ key: String, _ customer: Customer, first: Int = 0) async throws -> LoadClient.Answer {
    try await client.send(
      "POST", "\(path)/credits/coins/spends", customer.token, ["key": key, "amount": amount], first: first)
  }

  static func transactionID(of proof: String) throws -> String {
    let part = String(proof.split(separator: ".")[1]).replacing("-", with: "+").replacing("_", with: "/")
    let padded = part.appending(String(repeating: "=", count: (4 - part.count % 4) % 4))
    struct Payload: Decodable { let transactionId: String }
    return try JSONDecoder().decode(Payload.self, from: Data(base64Encoded: padded) ?? Data()).transactionId
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
    case .spent(let spend): spends.insert(spend)
    case .unexpected(let what): contradictions.append(what)
    }
  }
}
