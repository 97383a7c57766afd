import APIDescription
import AppStoreEmulator
import Foundation
import HTTPTypes
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The console's search", .timeLimit(.minutes(30)))
struct SearchTests {
  @Test("the search goes straight to the one record with the identifier, or with its beginning")
  func straight() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    for name in ["ada", "adalbert"] as [AccountName] {
      try await store.addCustomer(Customer(environment: .sandbox, name: name))
    }
    let id = try await bakery.order().record.transactionID
    let period = try await bakery.subscribe()
    let order = try #require(try await store.transaction(period).stored.record.webOrderLineItemID)
    _ = try await store.register(BakeryServer.registration("phone-1"))
    _ = try await store.register(BakeryServer.registration("tablet-1"))
    _ = try await store.signIn(SignInCredentials(account: "ada"), on: "tablet-1")
    try await bakery.withClient { client async throws in
      for (text, address) in [
        (id.rawValue, ConsoleAddress.transaction(id)), (" \(id) ", ConsoleAddress.transaction(id)),
        (order, ConsoleAddress.transaction(period)), (String(order.dropLast(2)), ConsoleAddress.transaction(period)),
        ("Ada", ConsoleAddress.customer("ada", .sandbox)), ("adalb", ConsoleAddress.customer("adalbert", .sandbox)),
        ("\(BakeryServer.oven)", ConsoleAddress.product(BakeryServer.oven, of: BakeryServer.app)),
        ("org.example.bakery.ov", ConsoleAddress.product(BakeryServer.oven, of: BakeryServer.app)),
        ("phone", "/console/requests?installation=phone-1"),
        ("tablet-1", ConsoleAddress.customer("ada", .sandbox) + "#installations"), ("", "/"),
      ] as [(String, String)] {
        let reply = try await client.get("/console/search" + AddressText.query([("q", text)]))
        #expect((reply.status, reply.headers[.location]) == (303, address), "\(text)")
      }
    }
  }

  @Test("several records are listed, and without any the page leads to the lists' searches")
  func several() async throws {
    let bakery = try await BakeryServer()
    let ids = [try await bakery.order().record.transactionID, try await bakery.order().record.transactionID]
    try await bakery.withClient { client async throws in
      let list = try await client.page("/console/search?q=\(bakery.store.epoch)")
      let links = Set(list.elements.compactMap { $0.attributes["href"] })
      for id in ids { #expect(links.contains(ConsoleAddress.transaction(id))) }
      let customers = try await client.page("/console/search?q=customer")
      #expect(customers.text.contains("Production") && customers.text.contains("Sandbox"))
      let nothing = try await client.page("/console/search?q=a%26b")
      #expect(nothing.elements.contains { $0.attributes["href"] == "/?q=a%26b" })
    }
  }

  @Test("every page has the search and the list of shortcuts, whose keys differ")
  func tools() async throws {
    try await BakeryServer().withClient { client async throws in
      for section in ConsoleSection.allCases {
        let page = try await client.page(section.address)
        #expect(page.elements.contains { $0.attributes["action"] == "/console/search" })
        let keys = page.elements.compactMap { $0.attributes["data-key"] }
        #expect(keys.count == ConsoleSection.allCases.count && Set(keys).count == keys.count)
      }
    }
  }
}
