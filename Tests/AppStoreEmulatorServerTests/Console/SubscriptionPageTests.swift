import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The console's page of a subscription", .timeLimit(.minutes(30)))
struct SubscriptionPageTests {
  private static let day: Int64 = 86_400_000

  @Test("A1 the customer's page and the transaction's page lead to it; it shows state, drawing and history")
  func shown() async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.subscribe()
    try await bakery.withClient { client async throws in
      let link = "/console/subscriptions/\(id)"
      for path in ["/console/customer?environment=sandbox&name=customer", "/console/transactions/\(id)"] {
        #expect(try await client.page(path).elements.contains { $0.attributes["href"] == link })
      }
      let page = try await client.page(link)
      #expect(page.text.contains("Travel to the next event") && page.text.contains("Cancel the subscription"))
      #expect(page.text.contains("Subscribed"))
      #expect(page.elements.filter { $0.name == "rect" }.map { $0.attributes["class"] } == ["phase-paid"])
      #expect(try await client.get("/console/subscriptions/12").status == 404)
      #expect(try await client.get("/console/subscriptions/abc").status == 404)
    }
  }

  @Test("A1 the drawing has each phase of a failed renewal, and the forms end with the subscription")
  func failedRenewal() async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.subscribe()
    try await bakery.store.setRenewalRules(RenewalRules(gracePeriod: .standard), of: BakeryServer.club)
    try await bakery.store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .declined }
    try await bakery.store.changeClock(.advance(milliseconds: 200 * Self.day))
    try await bakery.withClient { client async throws in
      let page = try await client.page("/console/subscriptions/\(id)")
      #expect(
        page.elements.filter { $0.name == "rect" }.map { $0.attributes["class"] } == [
          "phase-paid", "phase-grace", "phase-retry", "phase-lapsed",
        ])
      #expect(page.text.contains("The renewal could not be charged."))
      #expect(!page.text.contains("Travel to the next event"))
      #expect(page.text.contains("Make the payment method valid"))
    }
  }

  @Test("A1 segments follow each other without a gap, and the last ends where access or retry ends")
  func segments() async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.subscribe()
    let store = bakery.store
    try await store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .declined }
    try await store.changeClock(.advance(milliseconds: 40 * Self.day))
    let subscription = try await store.subscription(id)
    let drawing = SubscriptionDrawing(
      subscription, try await store.history(ofSubscription: id), now: store.clock.now)
    #expect(drawing.segments.map(\.phase) == [.paid, .retry])
    #expect(drawing.segments.first?.end == drawing.segments.last?.start)
    #expect(drawing.segments.last?.end == subscription.retryEnd)
    #expect(try await store.history(ofSubscription: id, limit: 1).map(\.step) == [.billingRetryBegan])
  }
}
