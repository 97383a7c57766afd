import Foundation
import HTTPTypes
import HummingbirdTesting
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("The operator's pages of offerings and names", .timeLimit(.minutes(30)))
struct OfferingPageTests {
  @Test("an offering is published, changed and removed by forms; metadata that is no JSON is said beside its field")
  func offering() async throws {
    let fixture = try await ServerFixture()
    let address = "/operator/offering?app=com.example.reader&id=summer"
    @Sendable func stored() async throws -> [Offering] {
      try await fixture.ledger.offerings(of: BookStore.app).map(\.offering)
    }
    try await fixture.withClient { client in
      let session = try await PageSession(client, key: fixture.operatorKey)
      let empty = try await session.page("/operator/offerings?app=com.example.reader")
      #expect(empty.text.contains("There is no offering"))
      #expect(try await session.page("\(address)&new=yes").text.contains("not published yet"))
      fixture.clock.advance(seconds: 1)
      let values = [
        "products:texts": "\(BookStore.sticker) \(BookStore.book)", "isCurrent:flag": "true",
        "metadata:jsonObject": "{\r\n  \"headline\": \"</textarea><b>&\"\r\n}", "reason:text": "a sale",
      ]
      let published = try await session.send("publish", on: "\(address)&new=yes", values)
      #expect((published.status, published.headers[.location]) == (303, address), "\(published.text)")
      let offering = try #require(try await stored().first)
      #expect(offering.products == [BookStore.sticker, BookStore.book] && offering.isCurrent)
      #expect(offering.metadata == #"{"headline":"</textarea><b>&"}"#)
      #expect(try await fixture.ledger.auditLog().first?.detail.hasSuffix(": a sale") == true)

      let list = try await session.page("/operator/offerings?app=com.example.reader")
      #expect(list.text.contains("current") && list.text.contains("not listed"))
      let page = try await session.page(address)
      #expect(page.preformatted["metadata"]?.contains("</textarea><b>&") == true)
      let form = try #require(page.forms(to: "/operator/call")["publish"])
      let known = Dictionary(form.map { ($0.name, $0.value) }) { $1 }
      #expect(known["products:texts"] == "\(BookStore.sticker) \(BookStore.book)")
      #expect(known["metadata:jsonObject"]?.contains("</textarea><b>&") == true)
      // The form as it is publishes the same offering, which is no change.
      let entries = try await fixture.ledger.auditLog().count
      #expect(try await session.send("publish", on: address, ["reason:text": "x"]).status == 303)
      #expect(try await fixture.ledger.auditLog().count == entries)

      for (field, value) in [("metadata:jsonObject", "headline"), ("metadata:jsonObject", "[]")] {
        let wrong = try await session.send("publish", on: address, [field: value, "reason:text": "x"])
        #expect(wrong.status == 400 && wrong.text.contains("data-field=\"\(field)\""), "\(wrong.text)")
      }
      #expect(try await stored() == [offering])
      let unconfirmed = try await session.send("remove", on: address, ["reason:text": "over"])
      #expect(unconfirmed.status == 400)
      let fields = try #require(try await session.page(address).forms(to: "/operator/call")["remove"])
      let removed = try await session.send(
        fields + [(name: "confirmation", value: "given")], ["reason:text": "over"], from: address)
      #expect((removed.status, removed.headers[.location]) == (303, "/operator/offerings?app=com.example.reader"))
      #expect(try await stored().isEmpty)
    }
  }

  @Test("the names of a product are in its form, and what a customer has by name is on the customer's page")
  func names() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    let address = "/operator/product?app=com.example.reader&id=\(BookStore.poem)"
    try await fixture.ledger.grant(
      .product(BookStore.poem, accessUntil: nil), to: try #require(CustomerID(reader.customer)), app: BookStore.app,
      key: "a", reason: "test", by: "olga")
    try await fixture.withClient { client in
      let session = try await PageSession(client, key: fixture.operatorKey)
      let customer = "/operator/customer?id=\(reader.customer)"
      #expect(try await !session.page(customer).text.contains("By name"))
      let published = try await session.send(
        "publish", on: address, ["entitlements:texts": " reading  club ", "reason:text": "x"])
      #expect(published.status == 303, "\(published.text)")
      let product = try await fixture.ledger.product(BookStore.poem, of: BookStore.app).product.product
      #expect(product.entitlements.map(\.rawValue) == ["club", "reading"])
      let form = try #require(try await session.page(address).forms(to: "/operator/call")["publish"])
      #expect(form.first { $0.name == "entitlements:texts" }?.value == "club reading")
      let page = try await session.page(customer).text
      #expect(page.contains("By name") && page.contains("club") && page.contains("reading"))
      let wrong = try await session.send("publish", on: address, ["entitlements:texts": "a/b", "reason:text": "x"])
      #expect(wrong.status == 400, "\(wrong.text)")
      // An emptied field removes the names.
      _ = try await session.send("publish", on: address, ["entitlements:texts": "", "reason:text": "x"])
      #expect(
        try await fixture.ledger.product(BookStore.poem, of: BookStore.app).product.product.entitlements.isEmpty)
    }
  }
}
