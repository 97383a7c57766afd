import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The console's page of a customer", .timeLimit(.minutes(30)))
struct CustomerPageTests {
  private static let address = "/console/customer?environment=sandbox&name=customer"

  @Test("H1 the page has the sums, the entitlements and one timeline that links each event to its transaction")
  func events() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    let refunded = try await bakery.order().record.transactionID
    try await store.refund(refunded)
    let oven = try await store.purchase(BakeryServer.oven, of: BakeryServer.app, for: "customer", in: .sandbox)
      .record.transactionID
    let subscription = try await bakery.subscribe()
    _ = try await store.register(BakeryServer.registration())
    _ = try await store.signIn(SignInCredentials(account: "customer"), on: "phone")
    try await store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .declined }
    let quote = try await store.quote(PaymentRequest(paymentID: "p", productID: BakeryServer.loaf), for: "phone")
    await #expect(throws: StoreRefusal.self) { try await store.confirm(quote, for: "phone") }
    try await bakery.withClient { client async throws in
      let page = try await client.page(Self.address)
      for text in [
        "Total spent124.99 USD", "Purchases3", "Refunds1", "Failed attempts1", "owned", "active", "renews ",
        "bought ", "refunded ", "refused ", "3.50 USD charged", "120.00 USD charged", "4.99 USD charged",
      ] { #expect(page.text.contains(text), "\(text)") }
      let links = Set(page.elements.compactMap { $0.attributes["href"] })
      for id in [refunded, oven, subscription] { #expect(links.contains(ConsoleAddress.transaction(id))) }
      #expect(links.contains(ConsoleAddress.subscription(subscription)))
      #expect(!page.text.contains("Older"))
      #expect(page.calls.keys.sorted() == ["change", "remove", "signout-phone."])
      let other = try await client.page("/console/customer?environment=production&name=customer")
      #expect(other.text.contains("Total spentnothing") && other.text.contains("owns nothing"))
    }
  }

  @Test("the timeline has 100 events, and links to the older and newer ones")
  func pages() async throws {
    let bakery = try await BakeryServer()
    for _ in 0..<101 { try await bakery.order() }
    let ids = try await bakery.store.transactions().map(\.record.transactionID)
    try await bakery.withClient { client async throws in
      func shown(_ address: String) async throws -> (ids: Set<String>, links: Set<String>) {
        let links = try await client.page(address).elements.compactMap { $0.attributes["href"] }
        return (Set(links.filter { $0.hasPrefix("/console/transactions/") }), Set(links))
      }
      let first = try await shown(Self.address)
      #expect(first.ids == Set(ids.prefix(100).map { ConsoleAddress.transaction($0) }))
      let next = Self.address + "&skip=100"
      #expect(first.links.contains(next + "#timeline"))
      let second = try await shown(next)
      #expect(second.ids == [ConsoleAddress.transaction(try #require(ids.last))])
      #expect(second.links.contains(Self.address + "#timeline"))
      #expect(try await client.page(Self.address + "&skip=-1", status: 400).text.contains("skip is a number"))
    }
  }
}
