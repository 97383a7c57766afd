import AppStoreServerAPI
import Foundation
import HTTPTypes
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseServer

@Suite("The operator's pages of refund requests", .timeLimit(.minutes(30)))
struct ConsumptionPageTests {
  @Test("a request about a renewal leads to the customer of the subscription; all requests are those of the chosen app")
  func renewal() async throws {
    var options = ServerFixture.Options()
    options.settings.consumption = ConsumptionSettings(policy: .ask)
    let fixture = try await ServerFixture(options)
    let (store, reader) = (fixture.bookStore.store, try await fixture.reader())
    let mailbox = try await fixture.bookStore.mailbox()
    let club = try await fixture.bookStore.buy(BookStore.club, on: fixture.bookStore.phone())
    #expect(try await fixture.withClient { try await $0.redeem(club, token: reader.token) }.status == 200)
    fixture.clock.advance(seconds: 40 * 86_400)
    _ = try await store.changeClock(.advance(milliseconds: 1_000))
    let renewal = try #require(try await store.transactions().map(\.record.transactionID).first { $0 != club.id })
    _ = try await store.requestRefund(of: renewal)
    let bodies = try await fixture.bookStore.posted(to: mailbox)
    try await fixture.withClient { client async throws in
      for body in bodies { #expect(try await client.notify(body).status == 200) }
      let session = try await PageSession(client, key: fixture.operatorKey)
      let address = "/operator/refund-requests?app=com.example.reader"
      let list = try await session.page(address + "&state=waiting")
      #expect(list.text.contains(renewal.rawValue))
      let links = list.elements.compactMap { $0.attributes["href"] }
      #expect(links.contains(address))
      let search = try #require(links.first { $0.hasPrefix("/operator/search") })
      let found = try await session.get(search)
      #expect((found.status, found.headers[.location]) == (303, "/operator/customer?id=\(reader.customer)"))
      let timeline = try await session.page("/operator/customer?id=\(reader.customer)").text
      #expect(timeline.contains("period begun") && timeline.contains("renewed"))
      let notifications = try await session.page("/operator/notifications?app=com.example.reader&type=TEST")
      let all = "/operator/notifications?app=com.example.reader"
      #expect(notifications.elements.contains { $0.attributes["href"] == all })
    }
  }

  @Test("the form of an answer has chosen nothing: what is not chosen is computed when the answer is sent")
  func untouched() async throws {
    let server = try await FilledServer()
    let address = server.filled("/operator/refund-request?app=com.example.reader&uuid=ASKED")
    try await server.fixture.withClient { client async throws in
      let session = try await PageSession(client, key: server.fixture.operatorKey)
      let page = try await session.page(address)
      let chosen = page.elements.filter { $0.name == "option" && $0.attributes["selected"] != nil }
      #expect(chosen.map { $0.attributes["value"] } == ["", "", ""])
      let reply = try await session.send(
        "answer", on: address,
        [
          "refundPreference:text": "", "deliveryStatus:text": "", "sampleContentProvided:flag": "",
          "reason:text": "a test",
        ])
      #expect(reply.status == 303, "\(reply.text)")
      let stored = try await server.fixture.ledger.consumptionRequest(server.filled("ASKED"), app: BookStore.app)
      #expect(stored.request.state == .open && stored.request.values == ConsumptionValues())
      #expect(stored.computed?.deliveryStatus == .delivered)
    }
  }
}
