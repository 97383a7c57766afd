import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

/// A client that does not receive the response to a purchase repeats the request.
@Suite("Asking again for a purchase on a customer's behalf", .timeLimit(.minutes(30)))
struct RepeatedPurchaseTests {
  private func order(
    _ paymentID: String?, quantity: Int = 2, customer: String = "customer", username: String? = nil
  ) throws -> String {
    var order: [String: Any] = [
      "bundleId": "org.example.bakery", "environment": "Sandbox", "customer": customer,
      "productId": "org.example.bakery.loaf", "quantity": quantity,
    ]
    order["paymentId"] = paymentID
    order["applicationUsername"] = username
    return try json(order)
  }

  @Test("B9 under the same paymentId it is charged once, and the answer is the transaction as it is by then")
  func once() async throws {
    let bakery = try await BakeryServer()
    let body = try order("order 7")
    let replies = try await bakery.withClient { client async throws in
      let first = try await client.post("/control/v1/purchases", body)
      let second = try await client.post("/control/v1/purchases", body)
      return [first, second]
    }
    #expect(replies.map(\.status) == [201, 201])
    #expect(replies[0].body == replies[1].body)
    #expect(try await bakery.store.charges().map(\.amount) == [Milliunits(7_000)])
    let text = try #require(replies[0].object["transactionId"] as? String)
    let id = try #require(TransactionID(rawValue: text))
    try await bakery.store.refund(id)
    let refunded = try await bakery.withClient { try await $0.post("/control/v1/purchases", body) }
    #expect(refunded.object["transactionId"] as? String == text)
    #expect(refunded.object["state"] as? String == "refunded")
    #expect(try await bakery.store.charges().count == 1)
  }

  @Test("B9 many at the same time are one charge")
  func atOnce() async throws {
    let bakery = try await BakeryServer()
    let body = try order("order 8")
    let ids = try await bakery.withClient { client async throws in
      try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<20 {
          group.addTask { try await client.post("/control/v1/purchases", body).object["transactionId"] as? String }
        }
        return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
      }
    }
    #expect(ids.count == 1 && !ids.contains(nil))
    #expect(try await bakery.store.charges().count == 1)
  }

  @Test("another purchase under a paymentId that was used is refused, and nothing is charged")
  func conflict() async throws {
    let bakery = try await BakeryServer()
    try await bakery.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    let bodies = [
      try order("order 9", username: "caf\u{E9}"), try order("order 9", quantity: 3, username: "caf\u{E9}"),
      try order("order 9", customer: "ada", username: "caf\u{E9}"), try order("order 9", username: "cafe\u{301}"),
    ]
    let replies = try await bakery.withClient { client async throws in
      var replies: [Reply] = []
      for body in bodies { replies.append(try await client.post("/control/v1/purchases", body)) }
      return replies
    }
    #expect(replies.map(\.status) == [201, 409, 409, 409])
    #expect(replies.dropFirst().allSatisfy { $0.code == "paymentConflict" } && replies[0].code == nil)
    #expect(try await bakery.store.charges().count == 1)
  }

  @Test("without one, or with another one, each request is a purchase of its own")
  func each() async throws {
    let bakery = try await BakeryServer()
    let bodies = [try order(nil), try order(nil), try order("a"), try order("b")]
    let statuses = try await bakery.withClient { client async throws in
      var statuses: [Int] = []
      for body in bodies { statuses.append(try await client.post("/control/v1/purchases", body).status) }
      return statuses
    }
    #expect(statuses == [201, 201, 201, 201])
    #expect(try await bakery.store.charges().count == 4)
  }

  @Test("a refused purchase leaves its paymentId free; an empty or overlong one is refused")
  func refused() async throws {
    let bakery = try await BakeryServer()
    try await bakery.store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .declined }
    let body = try order("order 10")
    #expect(try await bakery.withClient { try await $0.post("/control/v1/purchases", body) }.code == "paymentDeclined")
    try await bakery.store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .valid }
    #expect(try await bakery.withClient { try await $0.post("/control/v1/purchases", body) }.status == 201)
    for id in ["", String(repeating: "x", count: 201), "a\u{0}b"] {
      let body = try order(id)
      let reply = try await bakery.withClient { try await $0.post("/control/v1/purchases", body) }
      #expect((reply.status, reply.code) == (400, "malformedRequest"))
    }
    #expect(try await bakery.store.charges().count == 1)
  }

  @Test("after a reset it is free again; a snapshot has it")
  func lives() async throws {
    let bakery = try await BakeryServer()
    let body = try order("order 11")
    let first = try await bakery.withClient { try await $0.post("/control/v1/purchases", body) }
    let snapshot = try await bakery.store.snapshot()
    try await bakery.store.reset()
    let second = try await bakery.withClient { try await $0.post("/control/v1/purchases", body) }
    #expect(first.object["transactionId"] as? String != second.object["transactionId"] as? String)
    try await bakery.store.restore(snapshot)
    let third = try await bakery.withClient { try await $0.post("/control/v1/purchases", body) }
    #expect(third.object["transactionId"] as? String == first.object["transactionId"] as? String)
    #expect(try await bakery.store.charges().count == 1)
  }
}
