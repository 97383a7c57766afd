import Foundation
import Hummingbird
import NIOCore
import PurchaseLedger
import ServiceLifecycle
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

/// Documentation/webhooks.md, "Delivery".
@Suite("The server that sends webhooks", .timeLimit(.minutes(30)))
struct WebhookSenderTests {
  @Test(
    "a message has the header fields of Standard Webhooks, and the body of the events",
    arguments: LedgerDatabaseKind.allCases)
  func message(_ kind: LedgerDatabaseKind) async throws {
    try await WebhookSetting.with(kind) { setting in
      try await setting.grant(1...1)
      #expect(await setting.sender.sendAll() == 1)
      let received = try #require(setting.receiver.messages.first)
      #expect(received.type == "VIRTUAL_CURRENCY_TRANSACTION" && received.id == received.data["id"] as? String)
      let seconds = setting.fixture.clock.now.millisecondsSince1970 / 1_000
      #expect(received.field("webhook-timestamp") == "\(seconds)")
      let signature = WebhookSignature.header(
        id: try #require(received.id), seconds: seconds, body: received.body, keys: [setting.secret.key])
      #expect(received.field("webhook-signature") == signature)
      let delivery = try #require(try await setting.deliveries().first)
      #expect((delivery.state, delivery.status, delivery.attempts) == (.delivered, 200, 1))
      let (fixture, body) = (setting.fixture, String(decoding: received.body, as: UTF8.self))
      try await fixture.withClient { client in
        let events = try await client.get("/v1/operator/events", token: fixture.operatorKey)
        #expect(events.text.split(separator: "\n").map(String.init).contains(body))
      }
      #expect(setting.fixture.metrics.text(underWay: 0).contains(#"webhook_attempts_total{outcome="delivered"} 1"#))
    }
  }

  @Test("for a day after a rotation there are two signatures, then one")
  func rotation() async throws {
    try await WebhookSetting.with { setting in
      let new = try await setting.fixture.ledger.rotateWebhookSecret(setting.webhook.id, by: "olga").secret
      for (number, keys) in [(1, [new.key, setting.secret.key]), (2, [new.key])] {
        try await setting.grant(number...number)
        await setting.sender.sendAll()
        let received = try #require(setting.receiver.messages.last)
        let expected = WebhookSignature.header(
          id: try #require(received.id), seconds: setting.fixture.clock.now.millisecondsSince1970 / 1_000,
          body: received.body, keys: keys)
        #expect(received.field("webhook-signature") == expected)
        setting.advance(seconds: Webhook.rotationSeconds)
      }
    }
  }

  @Test(
    "a receiver that is away for a day gets each message in order per customer, nothing lost, repeated ones with the same id",
    arguments: LedgerDatabaseKind.allCases)
  func away(_ kind: LedgerDatabaseKind) async throws {
    try await WebhookSetting.with(kind, answer: { _ in Response(status: .serviceUnavailable) }) { setting in
      try await setting.grant(1...3)
      try await setting.grant(1...2, to: 1)
      // One message of each customer at a time.
      #expect(await setting.sender.sendAll() == 2)
      #expect(setting.keys() == ["k1"] && setting.keys(of: 1) == ["k1"])
      for pause in WebhookDeliveryLease.pauseSeconds.prefix(7) {
        #expect(await setting.sender.sendAll() == 0)
        setting.advance(seconds: pause)
        #expect(await setting.sender.sendAll() == 2)
      }
      #expect(Set(setting.receiver.messages.map(\.id)).count == 2)
      let failed = try #require(try await setting.deliveries().first)
      #expect((failed.state, failed.status, failed.attempts) == (.waiting, 503, 8))
      #expect(failed.problem == "HTTP 503")
      setting.receiver.answer(204)
      setting.advance(seconds: WebhookDeliveryLease.pauseSeconds[7])
      #expect(await setting.sender.sendAll() == 5)
      #expect(setting.keys() == Array(repeating: "k1", count: 9) + ["k2", "k3"])
      #expect(setting.keys(of: 1) == Array(repeating: "k1", count: 9) + ["k2"])
      #expect(try await setting.deliveries(.delivered).count == 5)
    }
  }

  @Test(
    "after ten failed attempts a message is dead, the customer's next one is sent, and an operator can send it again")
  func dead() async throws {
    try await WebhookSetting.with { setting in
      setting.receiver.answer { message in
        let key = (message.data["credits"] as? [String: Any])?["key"] as? String
        return Response(status: key == "k1" ? .badGateway : .ok)
      }
      try await setting.grant(1...2)
      await setting.sender.sendAll()
      for pause in WebhookDeliveryLease.pauseSeconds {
        setting.advance(seconds: pause)
        await setting.sender.sendAll()
      }
      #expect(setting.keys() == Array(repeating: "k1", count: 10) + ["k2"])
      #expect(try await setting.deliveries().map(\.state) == [.dead, .delivered])
      #expect(setting.fixture.log.lines.contains { $0.hasPrefix("error A message of a webhook was given up") })
      setting.receiver.answer(200)
      _ = try await setting.fixture.ledger.resendWebhookDelivery(1, of: setting.webhook.id, by: "olga")
      #expect(await setting.sender.sendAll() == 1)
      #expect(try await setting.deliveries().map(\.state) == [.delivered, .delivered])
      let ids = setting.receiver.messages.map(\.id)
      #expect(ids.first == ids.last)
    }
  }

  @Test("410 disables the webhook, and the message waits; a redirect is a failure; Retry-After is a least pause")
  func answers() async throws {
    try await WebhookSetting.with { setting in
      setting.receiver.answer { _ in Response(status: .found, headers: [.location: "http://10.0.0.1/"]) }
      try await setting.grant(1...1)
      await setting.sender.sendAll()
      #expect(try await setting.deliveries().first?.problem == "HTTP 302")
      setting.receiver.answer { _ in
        Response(
          status: .tooManyRequests, headers: [.retryAfter: "1000"],
          body: ResponseBody(byteBuffer: ByteBuffer(string: "slowly")))
      }
      setting.advance(seconds: 5)
      await setting.sender.sendAll()
      let later = try #require(try await setting.deliveries().first)
      #expect(later.problem == "HTTP 429")
      #expect(later.due == setting.fixture.clock.now.adding(seconds: 1_000))
      setting.receiver.echo(410)
      setting.advance(seconds: 1_000)
      await setting.sender.sendAll()
      let webhook = try await setting.fixture.ledger.webhook(setting.webhook.id)
      #expect(webhook.disabled == setting.fixture.clock.now && webhook.problem == "HTTP 410")
      setting.advance(seconds: 100_000)
      #expect(await setting.sender.sendAll() == 0)
      setting.receiver.answer(200)
      _ = try await setting.fixture.ledger.changeWebhook(webhook.id, isEnabled: true, by: "olga")
      #expect(await setting.sender.sendAll() == 1)
      let figures = setting.fixture.metrics.text(underWay: 0)
      for (outcome, count) in [("failed", 2), ("disabled", 1), ("delivered", 1)] {
        #expect(figures.contains("webhook_attempts_total{outcome=\"\(outcome)\"} \(count)"))
      }
    }
  }

  @Test("of several messages that are answered with 410 at the same time, one disables the webhook, and is a warning")
  func goneTogether() async throws {
    try await WebhookSetting.with { setting in
      let receiver = setting.receiver
      receiver.answer { _ in
        await receiver.untilReceived(2)
        return Response(status: .gone)
      }
      try await setting.grant(1...1)
      try await setting.grant(1...1, to: 1)
      #expect(await setting.sender.sendAll() == 2)
      #expect(try await setting.fixture.ledger.webhook(setting.webhook.id).disabled != nil)
      #expect(try await setting.deliveries(.waiting).count == 2)
      let lines = setting.fixture.log.lines
      #expect(lines.filter { $0.contains("Its webhook was disabled") }.count == 1)
      #expect(lines.filter { $0.hasPrefix("warning") && $0.contains("410") }.count == 1)
    }
  }

  @Test(
    "a name that leads to a private address at a retry is refused there; the log has no URL and no customer, also if the receiver repeats the message"
  )
  func changedName() async throws {
    try await WebhookSetting.with { setting in
      setting.receiver.echo(500)
      let resolver = ScriptedResolver(["127.0.0.1"], ["10.0.0.1"])
      try await setting.grant(1...1)
      try await WebhookTransport.with(resolver: resolver) { transport in
        let sender = WebhookSetting.sender(of: setting.fixture.ledger, setting.fixture, transport)
        await sender.sendAll()
        let problem = try await setting.deliveries().first?.problem
        #expect(problem == "HTTP 500")
        setting.advance(seconds: 5)
        await sender.sendAll()
      }
      #expect(setting.receiver.messages.count == 1 && resolver.asked.count == 2)
      let delivery = try #require(try await setting.deliveries().first)
      #expect(delivery.state == .waiting && delivery.status == nil)
      #expect(delivery.problem?.contains("10.0.0.1, and http is sent only to this machine") == true)
      let lines = setting.fixture.log.lines.filter { $0.contains("webhook") }
      #expect(lines.contains { $0.hasPrefix("warning A webhook leads to an address that must not be reached") })
      #expect(lines.contains { $0.contains("HTTP 500") })
      #expect(!lines.contains { $0.contains("/hook") || $0.contains(setting.readers[0].customer) })
    }
  }

  @Test("a receiver that never answers does not hold up another one, and has a bounded number of attempts under way")
  func silent() async throws {
    try await WebhookSetting.with(answer: { _ in
      await TestReceiver.never()
      return Response(status: .ok)
    }) { setting in
      let fixture = setting.fixture
      try await TestReceiver.listening { other in
        _ = try await fixture.ledger.createWebhook(
          WebhookSettings(name: "other", url: other.url, environments: [.sandbox]), by: "olga")
        let customers = Webhook.mostUnderWay + 4
        for number in 1...customers {
          let customer = try #require(CustomerID(try await fixture.reader().customer))
          try await fixture.ledger.grant(
            .credits(try #require(CreditUnit(rawValue: "coins")), 1), to: customer, app: BookStore.app,
            key: "k\(number)", reason: "a gift", by: "olga")
        }
        let services = ServiceGroup(
          configuration: .init(services: [setting.sender], logger: DownloadFixture.logger))
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await services.run() }
          await other.untilReceived(customers)
          await setting.receiver.untilReceived(Webhook.mostUnderWay)
          // Neither the sender nor another server can take a further one.
          #expect(try await fixture.ledger.takeWebhookDelivery() == nil)
          #expect(try await setting.deliveries(.sending).count == Webhook.mostUnderWay)
          #expect(try await setting.deliveries(.waiting).count == customers - Webhook.mostUnderWay)
          #expect(other.messages.count == customers)
          await services.triggerGracefulShutdown()
          try await group.waitForAll()
        }
      }
    }
  }

  @Test(
    "a server that is killed between the commit and the sending, and one between the sending and the result: the message is sent by another server after the lease, with the same id and body",
    arguments: LedgerDatabaseKind.allCases)
  func killed(_ kind: LedgerDatabaseKind) async throws {
    try await WebhookSetting.with(kind) { setting in
      try await setting.grant(1...2)
      // Taken by a server that ends before it sends it.
      let lease = try #require(try await setting.fixture.ledger.takeWebhookDelivery())
      let other = try await setting.otherServer()
      #expect(await other.sendAll() == 0)
      setting.advance(seconds: WebhookDeliveryLease.seconds)
      // The receiver has it, and the result is not stored.
      let database = setting.database
      setting.receiver.answer { _ in
        database.fail(writes: 1)
        return Response(status: .ok)
      }
      #expect(await setting.sender.sendAll() == 1)
      setting.receiver.answer(200)
      #expect(await other.sendAll() == 0)
      setting.advance(seconds: WebhookDeliveryLease.seconds)
      #expect(await other.sendAll() == 2)
      #expect(setting.keys() == ["k1", "k1", "k2"])
      let messages = setting.receiver.messages
      #expect(messages[0].id == lease.message && messages[1].id == lease.message)
      #expect(messages[0].body == messages[1].body)
      #expect(try await setting.deliveries(.delivered).count == 2)
    }
  }

  @Test("a message that was taken when the server stops is given back: no attempt is counted, and it is due at once")
  func stopped() async throws {
    try await WebhookSetting.with { setting in
      try await setting.grant(1...1)
      let underWay = LockedValue(0)
      let pass = await withDiscardingTaskGroup(returning: WebhookSender.Pass?.self) { group in
        group.cancelAll()
        return await setting.sender.begin(in: &group, underWay)
      }
      #expect(try #require(pass).begun > 0 && setting.receiver.messages.isEmpty)
      let delivery = try #require(try await setting.deliveries().first)
      #expect((delivery.state, delivery.attempts, delivery.due) == (.waiting, 0, setting.fixture.clock.now))
      #expect(await setting.sender.sendAll() == 1)
      #expect(try await setting.deliveries().first?.attempts == 1)
    }
  }

  @Test("two servers of a ledger send each message once, in order per customer", arguments: LedgerDatabaseKind.allCases)
  func twoServers(_ kind: LedgerDatabaseKind) async throws {
    try await WebhookSetting.with(kind) { setting in
      try await setting.grant(1...6)
      try await setting.grant(1...6, to: 1)
      let other = try await setting.otherServer()
      while try await setting.deliveries(.delivered).count < 12 {
        async let one = setting.sender.sendAll()
        async let two = other.sendAll()
        _ = await (one, two)
      }
      let expected = (1...6).map { "k\($0)" }
      #expect(setting.keys() == expected && setting.keys(of: 1) == expected)
    }
  }

  @Test("an error of the ledger is logged, and everything is sent after it")
  func unavailable() async throws {
    try await WebhookSetting.with { setting in
      try await setting.grant(1...1)
      setting.database.isUnavailable = true
      #expect(await setting.sender.sendAll() == 0)
      #expect(setting.fixture.log.lines.contains { $0.hasPrefix("error Messages of webhooks could not be taken") })
      setting.database.isUnavailable = false
      #expect(await setting.sender.sendAll() == 1)
    }
  }
}
