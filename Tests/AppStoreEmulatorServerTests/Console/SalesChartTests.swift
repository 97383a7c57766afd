import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The console's chart of revenue", .timeLimit(.minutes(30)))
struct SalesChartTests {
  @Test("the chart has a bar for each interval with charges or refunds, a sentence, and a table of all currencies")
  func bars() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      let empty = try await client.page("/")
      #expect(!empty.elements.contains { $0.name == "rect" || $0.attributes["id"] == "sales-fold" })
      let id = try await bakery.order().record.transactionID
      bakery.clock.advance(seconds: 3_600)
      try await bakery.store.refund(id)
      try await bakery.order()
      try await bakery.store.addCustomer(
        Customer(environment: .sandbox, name: "ada", storefrontCountryCode: "JPN"))
      try await bakery.order("ada")
      let page = try await client.page("/")
      #expect(
        page.elements.filter { $0.name == "rect" }.map { $0.attributes["class"] } == ["charged", "charged", "refunded"])
      let label = page.elements.first { $0.attributes["class"] == "sales" }?.attributes["aria-label"]
      #expect(label?.contains("7.00 USD charged in 2 purchases, 3.50 USD refunded, per hour") == true)
      #expect(page.text.contains("525 JPY") && page.text.contains("another currency in the table"))
      // The bars follow the filter of the list.
      let filtered = try await client.page("/?customer=ada")
      #expect(filtered.elements.filter { $0.name == "rect" }.count == 1)
    }
  }
}
