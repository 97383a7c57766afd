import AppStoreServerAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import SharedFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseLedger
@testable import PurchaseServer

@Suite("Notifications for operators, and their limits", .timeLimit(.minutes(30)))
struct OperatorNotificationTests {
  private static let path = "/v1/operator/apps/com.example.reader/notifications"

  @Test(
    "A notification that the ledger refuses gets 200, is set aside with its problem, and a replay records it when it can be recorded"
  )
  func replay() async throws {
    let fixture = try await ServerFixture()
    let mailbox = try await fixture.bookStore.mailbox()
    let (phone, reader) = (try await fixture.bookStore.phone(), try await fixture.reader())
    let coins = try await fixture.bookStore.buy(on: phone)
    let customer = try #require(CustomerID(reader.customer))
    _ = try await fixture.bookStore.posted(to: mailbox)
    fixture.clock.advance(seconds: 60)
    try await fixture.bookStore.store.refund(coins.id)
    let refund = try #require(try await fixture.bookStore.posted(to: mailbox).first)
    let uuid = try NotificationPayload(unverified: signedPayload(of: refund)).notificationUUID
    // Another product is claimed under the id of the coins, as after an emulator's older folder was put back.
    try await fixture.withClient { _ = try await $0.redeem(coins, token: reader.token) }
    try await fixture.ledger.setProduct(of: coins.id, to: "another")

    let key = fixture.operatorKey
    try await fixture.withClient { client async throws in
      let reply = try await client.notify(refund)
      #expect(reply.status == 200 && reply.object["result"] as? String == "setAside", "\(reply.text)")
      let list = try await client.get("\(Self.path)?state=setAside", token: key).list("notifications")
      #expect(list.map { $0["uuid"] as? String } == [uuid])
      #expect(list.first?["problem"] as? String == "Another purchase is recorded under its transaction id.")
      #expect(list.first?["originalTransactionId"] as? String == coins.id.rawValue)
      let again = try await client.post("\(Self.path)/\(uuid)/replay", "{}", token: key)
      #expect(again.status == 200 && again.object["result"] as? String == "setAside")
    }
    #expect(fixture.log.lines.contains { $0.hasPrefix("error A notification was set aside") })

    try await fixture.ledger.setProduct(of: coins.id, to: BookStore.coins)
    try await fixture.withClient { client async throws in
      let replayed = try await client.post("\(Self.path)/\(uuid)/replay", "{}", token: key)
      #expect(replayed.text == #"{"result":"recorded"}"#)
      let twice = try await client.post("\(Self.path)/\(uuid)/replay", "{}", token: key)
      #expect(twice.text == #"{"result":"known"}"#)
      let one = try await client.get("\(Self.path)/\(uuid)", token: key).object
      #expect(one["state"] as? String == "recorded" && one["problem"] == nil && one["source"] as? String == "sent")
      for request in [
        try await client.get("\(Self.path)/none", token: key),
        try await client.post("\(Self.path)/none/replay", "{}", token: key),
      ] {
        #expect((request.status, request.code) == (404, "unknownNotification"))
      }
      let audit = try await client.get("/v1/operator/audit", token: key).list("entries")
      let replays = audit.filter { $0["action"] as? String == "replayNotification" }
      #expect(replays.map { $0["subject"] as? String } == [uuid, uuid])
    }
    let credits = try await fixture.ledger.creditBalances(of: customer, app: BookStore.app).credits
    #expect(credits.map(\.balance) == [0])
  }

  @Test("The list has pages, and is filtered by type and date")
  func pages() async throws {
    let fixture = try await ServerFixture()
    let mailbox = try await fixture.bookStore.mailbox()
    for _ in 0..<3 {
      fixture.clock.advance(seconds: 60)
      try await fixture.bookStore.store.sendNotification(.test, to: BookStore.app, in: .sandbox)
      for body in try await fixture.bookStore.posted(to: mailbox) {
        #expect(try await fixture.withClient { try await $0.notify(body) }.status == 200)
      }
    }
    let key = fixture.operatorKey
    try await fixture.withClient { client async throws in
      let first = try await client.get("\(Self.path)?limit=2&type=TEST", token: key)
      #expect(first.list("notifications").count == 2)
      let next = try #require(first.object["next"] as? String)
      let second = try await client.get("\(Self.path)?limit=2&type=TEST&after=\(next)", token: key)
      #expect(second.list("notifications").count == 1 && second.object["next"] == nil)
      #expect(try await client.get("\(Self.path)?type=REFUND", token: key).list("notifications").isEmpty)
      let start = BookStore.opening.adding(seconds: 120).millisecondsSince1970
      #expect(try await client.get("\(Self.path)?from=\(start)", token: key).list("notifications").count == 2)
      #expect(try await client.get("\(Self.path)?until=\(start)", token: key).list("notifications").count == 1)
      #expect(try await client.get("\(Self.path)?state=lost", token: key).status == 400)
      #expect(try await client.get("/v1/operator/apps/none/notifications", token: key).status == 404)
    }
  }

  @Test(
    "An address that sends forged notifications uses up its own rate; genuine ones of other addresses are not limited by it"
  )
  func allowance() {
    let time = ManualMonotonicClock()
    let allowance = NotificationAllowance(.init(perSecond: 2, burst: 4), clock: time)
    func caller(_ address: String) -> CallerAddress { CallerAddress(peer: address, HTTPFields(), trusted: []) }
    let (forger, apple) = (caller("192.0.2.1"), caller("17.58.0.1"))
    for _ in 0..<5 {
      #expect(allowance.admit(from: forger) == nil)
      allowance.charge(forger)
    }
    #expect(allowance.admit(from: forger) == 1)
    for _ in 0..<10_000 { #expect(allowance.admit(from: apple) == nil) }
    time.advance(seconds: 0.5)
    #expect(allowance.admit(from: forger) == nil)
  }

  @Test("Forged and repeated notifications above the rate get 429 with Retry-After; new ones do not")
  func flood() async throws {
    var options = ServerFixture.Options()
    options.configuration.limits.burst = 5
    options.configuration.limits.requestsPerSecond = 1
    let fixture = try await ServerFixture(options)
    let mailbox = try await fixture.bookStore.mailbox()
    for _ in 0..<20 { try await fixture.bookStore.store.sendNotification(.test, to: BookStore.app, in: .sandbox) }
    let bodies = try await fixture.bookStore.posted(to: mailbox)
    try await fixture.withClient { client async throws in
      for body in bodies.dropLast() { #expect(try await client.notify(body).status == 200) }
      var statuses: [Int] = []
      for number in 0..<8 { statuses.append(try await client.notify(number == 0 ? bodies[0] : "{}").status) }
      #expect(statuses == [200, 400, 400, 400, 400, 400, 429, 429])
      let refused = try await client.notify(bodies[19])
      #expect(refused.status == 429 && refused.headers[.retryAfter] == "1")
      // Other requests from the address have a rate of their own.
      #expect(try await client.get("\(ServerFixture.path)/products").status == 200)
      fixture.time.advance(seconds: 1)
      #expect(try await client.notify(bodies[19]).text == #"{"result":"recorded"}"#)
    }
  }
}

extension Ledger {
  /// Changes the product of a claim, as if another purchase had been claimed under its id.
  fileprivate func setProduct(of claim: TransactionID, to product: ProductID) async throws {
    _ = try await database.write(locking: []) { transaction in
      _ = try transaction.rows("UPDATE claim SET product = $1 WHERE id = $2 RETURNING id", product, claim)
    }
  }
}
