import AppStoreServerAPI
import Foundation
import HummingbirdTesting
import PurchaseLedger
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseServer

@Suite("Notifications that are posted to the server", .timeLimit(.minutes(30)))
struct NotificationEndpointTests {
  /// A server whose reader has redeemed coins and a book, with a mailbox of the store's notifications.
  private struct Setting {
    let fixture: ServerFixture
    let mailbox: NotificationMailbox
    let reader: ServerFixture.Reader
    let coins: BookStore.Purchase
    let book: BookStore.Purchase
    var store: BookStore { fixture.bookStore }

    init(_ options: ServerFixture.Options = .init(), in environment: StoreEnvironment = .sandbox) async throws {
      let fixture = try await ServerFixture(options)
      self.fixture = fixture
      mailbox = try await fixture.bookStore.mailbox()
      let (phone, reader) = (
        try await fixture.bookStore.phone(in: environment), try await fixture.reader()
      )
      let coins = try await fixture.bookStore.buy(on: phone)
      let book = try await fixture.bookStore.buy(BookStore.book, as: "payment 2", on: phone)
      (self.reader, self.coins, self.book) = (reader, coins, book)
      try await fixture.withClient { client async throws in
        for purchase in [coins, book] { _ = try await client.redeem(purchase, token: reader.token) }
      }
      _ = try await posted()
    }

    func posted() async throws -> [String] { try await store.posted(to: mailbox) }

    /// Refunds a purchase, and returns the notification.
    func refund(_ purchase: BookStore.Purchase) async throws -> String {
      fixture.clock.advance(seconds: 60)
      try await store.store.refund(purchase.id)
      return try #require(try await posted().first)
    }

    func belongings() async throws -> String { try await fixture.belongings(of: reader.token) }
  }

  @Test("B4 a refund at the store ends the entitlement and takes the credits back; its reversal restores both")
  func refund() async throws {
    let setting = try await Setting()
    let (fixture, before) = (setting.fixture, try await setting.belongings())
    var refunds = [try await setting.refund(setting.coins), try await setting.refund(setting.book)]
    try await fixture.withClient { [refunds] client async throws in
      for refund in refunds {
        let reply = try await client.notify(refund)
        #expect(reply.status == 200 && reply.text == #"{"result":"recorded"}"#)
      }
      let entitlements = try await client.get("\(ServerFixture.path)/entitlements", token: setting.reader.token)
      #expect(entitlements.list("entitlements").first?["endReason"] as? String == "refunded")
      let credits = try await client.get("\(ServerFixture.path)/credits", token: setting.reader.token)
      #expect(credits.list("credits").first?["balance"] as? Int == 0)
    }
    fixture.clock.advance(seconds: 60)
    for purchase in [setting.coins, setting.book] { try await setting.store.store.reverseRefund(of: purchase.id) }
    refunds = try await setting.posted()
    try await fixture.withClient { [refunds] client async throws in
      for reversal in refunds { #expect(try await client.notify(reversal).status == 200) }
    }
    // The movements and the delivery are new, so only the entitlement and the balance are the same.
    let after = try await setting.belongings()
    #expect(after.contains(#""balance":5"#) && before.contains(#""balance":5"#))
    #expect(after.contains(#""isActive":true"#) && !after.contains("refunded"))
    let types = try await fixture.received().compactMap { $0["type"] as? String }
    #expect(types == ["REFUND_REVERSED", "REFUND_REVERSED", "REFUND", "REFUND"])
  }

  @Test("A notification gives nothing to a customer who did not have it: nobody has redeemed the purchase")
  func unclaimed() async throws {
    let setting = try await Setting()
    _ = try await setting.store.buy(BookStore.poem, as: "payment 3", on: setting.store.phone())
    let before = try await setting.belongings()
    let charge = try #require(try await setting.posted().first)
    #expect(try await setting.fixture.withClient { try await $0.notify(charge) }.status == 200)
    #expect(try await setting.belongings() == before)
    let row = try #require(try await setting.fixture.received().first)
    #expect(row["type"] as? String == "ONE_TIME_CHARGE" && row["state"] as? String == "recorded")
  }

  @Test(
    "G6 a replayed notification gets 200 and changes nothing, also after later ones: a refund that was reversed stays reversed"
  )
  func replayed() async throws {
    let setting = try await Setting()
    let refund = try await setting.refund(setting.coins)
    setting.fixture.clock.advance(seconds: 60)
    try await setting.store.store.reverseRefund(of: setting.coins.id)
    let reversal = try #require(try await setting.posted().first)
    try await setting.fixture.withClient { client async throws in
      for body in [refund, reversal] { #expect(try await client.notify(body).text == #"{"result":"recorded"}"#) }
    }
    let before = try await setting.belongings()
    try await setting.fixture.withClient { client async throws in
      for body in [refund, refund, reversal] {
        let reply = try await client.notify(body)
        #expect(reply.status == 200 && reply.text == #"{"result":"known"}"#)
      }
    }
    #expect(try await setting.belongings() == before)
    #expect(try await setting.fixture.received().count == 2)
  }

  @Test("Notifications in the wrong order end in the store's state")
  func outOfOrder() async throws {
    let setting = try await Setting()
    let refund = try await setting.refund(setting.coins)
    setting.fixture.clock.advance(seconds: 60)
    try await setting.store.store.reverseRefund(of: setting.coins.id)
    let reversal = try #require(try await setting.posted().first)
    let before = try await setting.belongings()
    try await setting.fixture.withClient { client async throws in
      for body in [reversal, refund] { #expect(try await client.notify(body).text == #"{"result":"recorded"}"#) }
    }
    #expect(try await setting.belongings() == before)
  }

  @Test(
    "G6 a forged notification gets 422, and nothing is stored: altered, by another signer, or with altered data inside"
  )
  func forged() async throws {
    let setting = try await Setting()
    let genuine = try signedPayload(of: try await setting.refund(setting.coins))
    let before = try await setting.belongings()
    let payload = try NotificationPayload(unverified: genuine)
    guard case .data(var data) = payload.content, let transaction = data.signedTransactionInfo else {
      Issue.record("the refund has no transaction")
      return
    }
    // The same contents, signed by an authority that this server does not trust.
    let forger = IssuingAuthority()
    let otherSigner = try forger.signJWS(payload: payload.payloadBytes(), at: payload.signedDate)
    // The store's signature about a transaction that another authority has signed, and about an altered one.
    var foreign = payload
    data.signedTransactionInfo = try forger.signTransaction(try UnverifiedJWS(transaction).transaction())
    foreign.content = .data(data)
    var altered = payload
    data.signedTransactionInfo = Self.altered(transaction)
    altered.content = .data(data)
    let forgeries = [
      Self.altered(genuine), otherSigner, try setting.store.signed(foreign), try setting.store.signed(altered),
    ]
    try await setting.fixture.withClient { client async throws in
      for forgery in forgeries {
        let reply = try await client.notify(try notificationBody(forgery))
        #expect((reply.status, reply.code) == (422, "forgedNotification"), "\(reply.text)")
      }
    }
    #expect(try await setting.belongings() == before)
    #expect(try await setting.fixture.received().isEmpty)
    let metrics = setting.fixture.metrics.text(underWay: 0)
    #expect(metrics.contains(#"notifications_total{outcome="forgedNotification",source="sent"} 4"#))
  }

  /// Changes a character in the payload of a JWS, which stays readable JSON.
  private static func altered(_ jws: String) -> String {
    var parts = jws.split(separator: ".").map(String.init)
    var bytes = Array(Data(base64Encoded: parts[1].padded)!)
    // The last digit of a date.
    let place = bytes.lastIndex { (UInt8(ascii: "0")...UInt8(ascii: "8")).contains($0) }!
    bytes[place] += 1
    parts[1] = String(decoding: Base64.encode(bytes, .url), as: UTF8.self)
    return parts.joined(separator: ".")
  }

  @Test("G6 a genuine notification of another app or environment gets 422, one for an app that is not served 404")
  func wrongApp() async throws {
    var options = ServerFixture.Options()
    options.environments = [.production]
    let production = try await Setting(options, in: .production)
    let body = try await production.refund(production.coins)
    // A refund in the sandbox.
    let phone = try await production.store.phone("other", in: .sandbox)
    let test = try await production.store.buy(as: "payment 9", on: phone)
    production.fixture.clock.advance(seconds: 60)
    _ = try await production.posted()
    try await production.store.store.refund(test.id)
    let sandbox = try #require(try await production.posted().first)
    try await production.fixture.withClient { client async throws in
      let wrongApp = try await client.notify(body, app: BookStore.otherApp)
      #expect((wrongApp.status, wrongApp.code) == (422, "wrongApp"))
      let unknown = try await client.notify(body, app: "com.example.none")
      #expect((unknown.status, unknown.code) == (404, "unknownApp"))
      let wrongEnvironment = try await client.notify(sandbox)
      #expect((wrongEnvironment.status, wrongEnvironment.code) == (422, "wrongEnvironment"))
    }
    #expect(try await production.fixture.received().isEmpty)
  }

  @Test("G6 a notification of production with another App Store number is refused; the sandbox has no number")
  func appNumber() async throws {
    let setting = try await Setting(in: .production)
    let production = try signedPayload(of: try await setting.refund(setting.coins))
    try await setting.store.store.sendNotification(.test, to: BookStore.app, in: .sandbox)
    let sandbox = try signedPayload(of: try #require(try await setting.posted().first))
    let number = try await setting.store.store.app(BookStore.app).appAppleID
    func verify(_ payload: String, number: Int64) async throws -> StoreNotification {
      var policy = VerificationPolicy(bundleID: BookStore.app, method: .offline)
      policy.appAppleID = number
      let verifier = try ProofVerifier(
        anchors: try setting.store.anchors, policies: [policy], server: setting.fixture.receiptServer)
      return try await verifier.verify(notification: payload, for: BookStore.app)
    }
    let error = await #expect(throws: ProofRefusal.self) { try await verify(production, number: number + 1) }
    #expect(error?.notificationCode == "wrongApp")
    #expect(try await verify(production, number: number).type == "REFUND")
    #expect(try await verify(sandbox, number: number + 1).type == "TEST")
  }

  @Test("What is truncated, too large or no notification gets 4xx, and nothing is stored; unknown members are ignored")
  func malformed() async throws {
    let setting = try await Setting()
    let body = try await setting.refund(setting.coins)
    let jws = try signedPayload(of: body)
    try await setting.fixture.withClient { client async throws in
      for (sent, status, code) in [
        (String(body.dropLast(5)), 400, "malformedRequest"), ("[]", 400, "malformedRequest"),
        (#"{"signedPayload":7}"#, 400, "malformedRequest"),
        (try notificationBody(String(jws.dropLast(5))), 422, "unreadableNotification"),
        (try notificationBody(String(jws.prefix(jws.count / 2))), 422, "unreadableNotification"),
        (try notificationBody(String(repeating: "a", count: 65_520)), 413, "tooLarge"),
      ] {
        let reply = try await client.notify(sent)
        #expect((reply.status, reply.code) == (status, code), "\(sent.prefix(40)): \(reply.text)")
      }
      #expect(try await setting.fixture.received().isEmpty)
      let reply = try await client.notify(try json(["signedPayload": jws, "signedPayloadVersion": 3]))
      #expect(reply.text == #"{"result":"recorded"}"#)
    }
  }

  @Test(
    "While the ledger is away or its disk is full: 503 and Retry-After, nothing is stored, and the next attempt records it"
  )
  func ledgerAway() async throws {
    var options = ServerFixture.Options()
    let database = FailingDatabase(try SQLiteLedgerDatabase(at: nil))
    options.database = database
    let setting = try await Setting(options)
    let body = try await setting.refund(setting.coins)
    try await setting.fixture.withClient { client async throws in
      database.isUnavailable = true
      let away = try await client.notify(body)
      #expect((away.status, away.code) == (503, "temporarilyUnavailable") && away.headers[.retryAfter] != nil)
      database.isUnavailable = false
      database.isFull = true
      let full = try await client.notify(body)
      #expect((full.status, full.code) == (503, "notWritable") && full.headers[.retryAfter] != nil)
      database.isFull = false
      #expect(try await setting.fixture.received().isEmpty)
      #expect(try await client.notify(body).text == #"{"result":"recorded"}"#)
    }
    let metrics = setting.fixture.metrics.text(underWay: 0)
    #expect(metrics.contains(#"notifications_total{outcome="failed",source="sent"} 2"#))
    #expect(metrics.contains(#"notifications_total{outcome="recorded",source="sent"} 1"#))
    #expect(metrics.contains(#"purchase_server_last_notification_seconds{app="com.example.reader"} "#))
  }

  @Test("The answer is lost after the commit: the store sends the notification again, and nothing happens twice")
  func lostAnswer() async throws {
    let setting = try await Setting(in: .production)
    let fixture = setting.fixture
    let attempts = LockedValue<[String]>([])
    try await fixture.withClient { client async throws in
      setting.mailbox.deliver { body in
        let reply = try await client.notify(String(decoding: body, as: UTF8.self))
        let count = attempts.withLock { attempts in
          attempts.append(reply.text)
          return attempts.count
        }
        guard count > 1 else { throw NotificationFailure(.prematureClose, "the server was killed after its commit") }
        return reply.status
      }
      _ = try await setting.refund(setting.coins)
      let after = try await setting.belongings()
      // The second attempt comes an hour later.
      try await setting.store.store.changeClock(.advance(milliseconds: 3_600_000))
      _ = try await setting.posted()
      #expect(attempts.value == [#"{"result":"recorded"}"#, #"{"result":"known"}"#])
      #expect(try await setting.belongings() == after)
    }
  }

  @Test("A test notification is recorded, and so is one whose type is not known")
  func otherTypes() async throws {
    let setting = try await Setting()
    try await setting.store.store.sendNotification(.test, to: BookStore.app, in: .sandbox)
    var bodies = try await setting.posted()
    let refund = try await setting.refund(setting.book)
    var unknown = try NotificationPayload(unverified: signedPayload(of: refund))
    unknown.notificationType = OpenEnum(rawValue: "ECLIPSE")
    bodies.append(try notificationBody(try setting.store.signed(unknown)))
    try await setting.fixture.withClient { [bodies] client async throws in
      for body in bodies { #expect(try await client.notify(body).text == #"{"result":"recorded"}"#) }
    }
    let types = try await setting.fixture.received().compactMap { $0["type"] as? String }
    #expect(types.sorted() == ["ECLIPSE", "TEST"])
    // Only the transaction counts.
    #expect(try await setting.belongings().contains("refunded"))
  }

  @Test("The log says which notifications came and what became of them, and names no customer and no purchase")
  func log() async throws {
    let setting = try await Setting()
    let body = try await setting.refund(setting.coins)
    let before = setting.fixture.log.lines.count
    try await setting.fixture.withClient { client async throws in
      for body in [body, body, #"{"signedPayload":"a.b.c"}"#] { _ = try await client.notify(body) }
    }
    let lines = setting.fixture.log.lines[before...]
    #expect(
      lines.contains {
        $0.contains("A notification was received") && $0.contains("outcome=recorded") && $0.contains("type=REFUND")
      })
    #expect(lines.contains { $0.contains("outcome=known") })
    #expect(lines.contains { $0.contains("A notification was refused") && $0.contains("code=unreadableNotification") })
    for line in lines {
      #expect(!line.contains(setting.coins.id.rawValue) && !line.contains(setting.reader.customer), "\(line)")
    }
  }
}

extension NotificationPayload {
  /// Reads the payload of a JWS without checking its signature.
  init(unverified jws: String) throws {
    let parts = jws.split(separator: ".")
    let bytes = try #require(Data(base64Encoded: String(parts[1]).padded))
    self = try JSONDecoder().decode(NotificationPayload.self, from: bytes)
  }
}

extension String {
  /// The same base64url text as base64.
  fileprivate var padded: String {
    replacing("-", with: "+").replacing("_", with: "/") + String(repeating: "=", count: (4 - count % 4) % 4)
  }
}
