import Foundation
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing
import WebSupport

@testable import PurchaseServer

@Suite("The operator's pages of webhooks", .timeLimit(.minutes(30)))
struct WebhookPageTests {
  private static let list = "/operator/webhooks"

  @Test("the form creates a webhook and shows its secret once; the forms of its page change, test and remove it")
  func forms() async throws {
    let fixture = try await ServerFixture()
    try await fixture.withClient { client async throws in
      let session = try await PageSession(client, key: fixture.operatorKey)
      let made = try await session.send(
        "create", on: Self.list,
        ["name:text": "backend", "url:text": "https://hooks.example/a?token=x", "reason:text": "a test"])
      #expect(made.status == 200, "\(made.text)")
      #expect(WebhookSecret(text: try HTMLCheck(made.text).preformatted["revealed"] ?? "") != nil)
      let webhook = try #require(try await fixture.ledger.webhooks(limit: 10).elements.first)
      let page = try await session.page(Self.list)
      #expect(page.text.contains("backend") && page.text.contains("enabled") && !page.text.contains("token=x"))
      let own = "/operator/webhook?id=\(webhook.id)"
      #expect(try await session.send("test", on: own, ["reason:text": "a test"]).status == 303)
      #expect(try await session.page(own).text.contains("TEST"))
      #expect(try await session.send("switch", on: own, ["reason:text": "a test"]).status == 303)
      #expect(try await fixture.ledger.webhook(webhook.id).disabled != nil)
      #expect(try await session.send("switch", on: own, ["reason:text": "a test"]).status == 303)
      #expect(try await fixture.ledger.webhook(webhook.id).disabled == nil)
      let refused = try await session.send(
        "change", on: own, ["url:text": "http://hooks.example/", "reason:text": "a test"])
      #expect(refused.status == 422 && refused.text.contains("begins with https://"))
      let rotated = try await session.send("rotate", on: own, ["reason:text": "a test"])
      #expect(WebhookSecret(text: try HTMLCheck(rotated.text).preformatted["revealed"] ?? "") != nil)
      let lease = try #require(try await fixture.ledger.takeWebhookDelivery())
      _ = try await fixture.ledger.settle(lease, .failed(status: 500, problem: "HTTP 500"))
      #expect(try await session.page("\(own)&state=waiting").text.contains("HTTP 500"))
      #expect(try await !session.page("\(own)&state=dead").text.contains("HTTP 500"))
    }
  }

  @Test("a list without a checked box stands for all; the boxes of a webhook are checked as they are stored")
  func checks() async throws {
    let fixture = try await ServerFixture()
    let webhook = try await fixture.ledger.createWebhook(
      WebhookSettings(
        name: "backend", url: "https://hooks.example/", apps: [BookStore.app], types: [.refund, .renewal],
        environments: [.sandbox]), by: "olga"
    ).webhook
    let own = "/operator/webhook?id=\(webhook.id)"
    try await fixture.withClient { client async throws in
      let session = try await PageSession(client, key: fixture.operatorKey)
      let checked = try await session.page(own).elements.filter { $0.attributes["checked"] != nil }
      #expect(
        Set(checked.compactMap { $0.attributes["value"] }) == ["REFUND", "RENEWAL", "Sandbox", BookStore.app.rawValue])
      // As a browser sends it: without the boxes that are not checked.
      let fields = try #require(try await session.page(own).forms(to: "/operator/call")["change"])
      func sent(_ types: [String]) -> [(name: String, value: String)] {
        let kept = fields.filter {
          !["types:wholeTexts", "environments:wholeTexts", "apps:wholeTexts"].contains($0.name)
        }
        return kept.map { ($0.name, $0.name == "reason:text" ? "a test" : $0.value) }
          + ([""] + types).map { ("types:wholeTexts", $0) } + [("apps:wholeTexts", "")]
          + [("environments:wholeTexts", ""), ("environments:wholeTexts", "Production")]
      }
      #expect(try await session.send(sent(["REFUND", "TRANSFER"]), from: own).status == 303)
      var settings = try await fixture.ledger.webhook(webhook.id).settings
      #expect(Set(settings.types ?? []) == [.refund, .transfer] && settings.apps == nil)
      #expect(settings.environments == [.production] && settings.name == "backend")
      #expect(try await session.send(sent([]), from: own).status == 303)
      settings = try await fixture.ledger.webhook(webhook.id).settings
      #expect(settings.types == nil)
    }
  }

  @Test("a change keeps an app that the server no longer has: an empty list would stand for all")
  func gone() async throws {
    let (database, gone) = (try SQLiteLedgerDatabase(at: nil), BundleID("com.example.gone"))
    let fixture = try await ServerFixture(ServerFixture.Options(database: database))
    let before = try await Ledger(
      database: database, anchors: fixture.bookStore.anchors, apps: [gone: LedgerSettings()], clock: fixture.clock)
    let webhook = try await before.createWebhook(
      WebhookSettings(
        name: "backend", url: "https://hooks.example/", apps: [gone], environments: [.sandbox]), by: "olga"
    ).webhook
    let own = "/operator/webhook?id=\(webhook.id)"
    try await fixture.withClient { client async throws in
      let session = try await PageSession(client, key: fixture.operatorKey)
      let page = try await session.page(own)
      let lists = ["types:wholeTexts", "environments:wholeTexts", "apps:wholeTexts"]
      var sent: [(name: String, value: String)] = []
      for field in try #require(page.forms(to: "/operator/call")["change"]) where !lists.contains(field.name) {
        let texts = ["reason:text": "a test", "name:text": "new name"]
        sent.append((field.name, texts[field.name] ?? field.value))
      }
      for list in lists { sent.append((list, "")) }
      for box in page.elements where box.attributes["checked"] != nil {
        sent.append((box.attributes["name"] ?? "", box.attributes["value"] ?? ""))
      }
      #expect(try await session.send(sent, from: own).status == 303)
    }
    let settings = try await fixture.ledger.webhook(webhook.id).settings
    #expect(settings.name == "new name" && settings.apps == [gone] && settings.environments == [.sandbox])
    #expect(settings.types == nil)

    // A server with one app. It has boxes for apps only if the webhook has another one.
    func fields(_ webhook: WebhookView?) -> [FormField] {
      WebhookFields(of: ServiceEndpoints.changeWebhook.endpoint, apps: [BookStore.app]).all(webhook)
    }
    #expect(!fields(nil).contains { $0.name == "apps" })
    let apps = try #require(fields(WebhookView(webhook)).first { $0.name == "apps" })
    guard case .checks(let choices) = apps.input else {
      Issue.record("no boxes")
      return
    }
    #expect(choices.map(\.value) == [BookStore.app, gone].map(\.rawValue) && apps.text == gone.rawValue)
    // Only types of a later version: they stay, because the list is not sent.
    var object = try #require(
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(WebhookView(webhook))) as? [String: Any])
    object["types"] = [String]()
    let later = try JSONDecoder().decode(WebhookView.self, from: JSONSerialization.data(withJSONObject: object))
    #expect(!fields(later).contains { $0.name == "types" } && fields(nil).contains { $0.name == "types" })
  }

  @Test("a receiver's answer with markup is shown as text")
  func hostile() async throws {
    let fixture = try await ServerFixture()
    let name = "<script>alert(1)</script>"
    let webhook = try await fixture.ledger.createWebhook(
      WebhookSettings(name: name, url: "https://hooks.example/'onclick='alert(1)"), by: "olga"
    ).webhook
    _ = try await fixture.ledger.sendTestMessage(to: webhook.id, by: "olga")
    let lease = try #require(try await fixture.ledger.takeWebhookDelivery())
    _ = try await fixture.ledger.settle(lease, .gone(problem: "HTTP 410: \"><img src=x onerror=alert(1)>"))
    try await fixture.withClient { client async throws in
      let session = try await PageSession(client, key: fixture.operatorKey)
      for address in [Self.list, "/operator/webhook?id=\(webhook.id)"] {
        let page = try await session.page(address)
        #expect(page.text.contains(name))
        #expect(!page.elements.contains { $0.name == "img" || $0.attributes["onerror"] != nil })
      }
      #expect(try await session.page("/operator/webhook?id=\(webhook.id)").text.contains("<img src=x"))
    }
  }

  @Test("a key without the role admin sees no webhook", arguments: [OperatorRole.read, .support])
  func roles(_ role: OperatorRole) async throws {
    let fixture = try await ServerFixture()
    let webhook = try await fixture.ledger.createWebhook(
      WebhookSettings(name: "backend", url: "https://hooks.example/"), by: "olga"
    ).webhook
    let key = try await fixture.ledger.createOperatorKey(name: "otto", role: role, by: .commandLine)
    try await fixture.withClient { client async throws in
      let session = try await PageSession(client, key: key.token.text)
      for address in [Self.list, "/operator/webhook?id=\(webhook.id)"] {
        let page = try await session.page(address)
        #expect(page.text.contains("Only a key with the role admin") && !page.text.contains("hooks.example"))
      }
    }
  }
}
