import Foundation
import StoreModel
import Testing

/// Operators who change the same customers at the same time, over all servers. Each action is sent several times at once.
struct LoadedOperators: Sendable {
  /// Who sends each action at the same time.
  private static let senders = 3

  let client: LoadClient
  let key: String
  private let granted = LockedValue<Set<RedemptionLoad.KeyedChange>>([])
  private let unexpected = LockedValue<[String]>([])

  init(_ client: LoadClient, key: String) { (self.client, self.key) = (client, key) }

  /// The grants that a server has acknowledged.
  var grants: Set<RedemptionLoad.KeyedChange> { granted.value }
  /// Descriptions of unexpected responses.
  var contradictions: [String] { unexpected.value }

  func publish() async throws {
    let credits: [String: Any] = ["unit": "coins", "amount": CoinStore.coinsEach]
    let products: [(ProductID, [String: Any])] = [
      (CoinStore.coins, ["type": "Consumable", "credits": credits]), (CoinStore.medal, ["type": "Non-Consumable"]),
    ]
    for (product, document) in products {
      let answer = try await client.send(
        "PUT", "/v1/operator/apps/\(CoinStore.app)/products/\(product)", key, document)
      #expect(answer.status == 200, "\(answer.text)")
    }
  }

  func grantCoins(_ amount: Int, _ name: String, to customer: RedemptionLoad.Customer) async throws {
    try await grant(name, to: customer, ["credits": ["unit": "coins", "amount": amount] as [String: any Sendable]])
  }

  func grantMedal(_ name: String, to customer: RedemptionLoad.Customer) async throws {
    try await grant(name, to: customer, ["productId": CoinStore.medal.rawValue])
  }

  private func grant(
    _ name: String, to customer: RedemptionLoad.Customer, _ goods: [String: any Sendable]
  ) async throws {
    let statuses = try await send("grants", customer, goods.merging(["key": name]) { $1 }, [204, 404])
    if statuses.contains(204) {
      _ = granted.withLock { $0.insert(.init(customer: customer.customer, key: name)) }
    }
  }

  func revokeMedal(granted name: String, from customer: RedemptionLoad.Customer) async throws {
    let document = ["productId": CoinStore.medal.rawValue, "source": "grant:\(name)"]
    _ = try await send("revocations", customer, document, [200])
  }

  func move(_ purchase: String, to customer: RedemptionLoad.Customer) async throws {
    _ = try await send("moves", customer, ["transactionId": purchase, "environment": "Sandbox"], [200])
  }

  func liftBlock(of customer: RedemptionLoad.Customer) async throws {
    _ = try await send("lifts", customer, ["unit": "coins"], [200])
  }

  func erase(_ customer: RedemptionLoad.Customer) async throws {
    _ = try await send("/v1/operator/customers/\(customer.customer)/erasure", [:], [204])
  }

  /// The numbers of notifications that the ledger has, by where they came from.
  func notifications() async throws -> [String: Int] {
    struct Page: Decodable {
      struct Notification: Decodable { let source: String }
      let notifications: [Notification]
      let next: String?
    }
    var (counts, after): ([String: Int], String?) = ([:], nil)
    repeat {
      let path = "/v1/operator/apps/\(CoinStore.app)/notifications?limit=100\(after.map { "&after=\($0)" } ?? "")"
      let page = try await client.send("GET", path, key).decoded(Page.self)
      for each in page.notifications { counts[each.source, default: 0] += 1 }
      after = page.next
    } while after != nil
    return counts
  }

  private func send(
    _ action: String, _ customer: RedemptionLoad.Customer, _ document: [String: any Sendable], _ expected: Set<UInt>
  ) async throws -> [UInt] {
    try await send("/v1/operator/apps/\(CoinStore.app)/customers/\(customer.customer)/\(action)", document, expected)
  }

  private func send(
    _ path: String, _ document: [String: any Sendable], _ expected: Set<UInt>
  ) async throws -> [UInt] {
    try await withThrowingTaskGroup(of: LoadClient.Answer.self) { group in
      for sender in 0..<Self.senders {
        group.addTask {
          try await client.send("POST", path, key, document.merging(["reason": "load"]) { $1 }, first: sender)
        }
      }
      var statuses: [UInt] = []
      for try await answer in group {
        statuses.append(answer.status)
        if !expected.contains(answer.status) {
          unexpected.withLock { $0.append("\(path): \(answer.status) \(answer.text)") }
        }
      }
      return statuses
    }
  }
}
