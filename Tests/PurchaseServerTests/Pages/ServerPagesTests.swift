import APIDescription
import Foundation
import HTTPTypes
import HummingbirdTesting
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

/// The browser tests press the buttons of these pages (Tests/BrowserTests/test_operator_server.py).
@Suite("The operator's pages of keys, products, notifications and health", .timeLimit(.minutes(30)))
struct ServerPagesTests {
  @Test("a key is created by a form: its secret is in the answer to the form only, and in no address")
  func createKey() async throws {
    let fixture = try await ServerFixture()
    try await fixture.withClient { client in
      let session = try await PageSession(client, key: fixture.operatorKey)
      // The newest entry of the audit log is this form's.
      fixture.clock.advance(seconds: 1)
      let reply = try await session.send(
        "create", on: "/operator/keys",
        ["name:text": "otto", "role:text": "support", "reason:text": "a new colleague"])
      #expect(reply.status == 200 && reply.headers[.location] == nil, "\(reply.text)")
      #expect(reply.headers[.cacheControl] == "no-store")
      let secret = try #require(try HTMLCheck(reply.text).preformatted["revealed"])
      #expect(secret.hasPrefix("operator_"))
      let own = try await client.get("/v1/operator/self", token: secret)
      #expect(own.text == #"{"name":"otto","role":"support"}"#)
      let entry = try #require(try await fixture.ledger.auditLog().first)
      #expect(entry.action == "createOperatorKey" && entry.detail == "support for otto: a new colleague")
      #expect(try await !session.get("/operator/keys").text.contains(secret))
      let nameless = try await session.send("create", on: "/operator/keys", ["reason:text": "x"])
      #expect(nameless.status >= 400 && nameless.text.contains("data-field=\"name:text\""), "\(nameless.text)")
    }
    #expect(fixture.log.lines.allSatisfy { !$0.contains("operator_") })
  }

  @Test("a key is revoked by a form, with its reason; the last admin key stays; keys are listed newest first")
  func revokeKey() async throws {
    let fixture = try await ServerFixture()
    for name in ["ada", "ben"] {
      fixture.clock.advance(seconds: 1)
      _ = try await fixture.ledger.createOperatorKey(name: name, role: .read, by: .commandLine)
    }
    try await fixture.withClient { client in
      let session = try await PageSession(client, key: fixture.operatorKey)
      let text = try await session.page("/operator/keys").text
      // The page's header has the name of the operator, too.
      let places = try ["ben", "ada", "olga"].map { try #require(text.range(of: $0, options: .backwards)).lowerBound }
      #expect(places == places.sorted())
      let first = try await session.page("/operator/keys?rows=1")
      #expect(first.text.contains("ben") && !first.text.contains("ada"))
      let older = try #require(first.elements.last { $0.attributes["href"]?.contains("after=") == true })
      #expect(try await session.page(try #require(older.attributes["href"])).text.contains("ada"))
      let keys = try await fixture.ledger.operatorKeys()
      let ben = try #require(keys.first { $0.name == "ben" }).id
      let olga = try #require(keys.first { $0.name == "olga" }).id
      // The form of a row keeps its id when rows before it appear.
      fixture.clock.advance(seconds: 1)
      _ = try await fixture.ledger.createOperatorKey(name: "cleo", role: .read, by: .commandLine)
      let form = try #require(
        try await session.page("/operator/keys").forms(to: "/operator/call")["revoke-\(ben)."], "\(ben)")
      #expect(form.first { $0.name == "call" }?.value.hasSuffix("/\(ben)") == true)
      fixture.clock.advance(seconds: 1)
      let revoked = try await session.send("revoke-\(ben).", on: "/operator/keys", ["reason:text": "she left & <b>"])
      #expect((revoked.status, revoked.headers[.location]) == (303, "/operator/keys"), "\(revoked.text)")
      let entry = try #require(try await fixture.ledger.auditLog().first)
      #expect(entry.action == "revokeOperatorKey" && entry.detail == "she left & <b>")
      #expect(try await fixture.ledger.operatorKeys().first { $0.name == "ben" }?.revoked != nil)
      let last = try await session.send("revoke-\(olga).", on: "/operator/keys", ["reason:text": "a test"])
      #expect(last.status == 409 && last.text.contains("the last key with the role admin"), "\(last.text)")
    }
  }

  @Test("a product is published by a form: the texts of all languages stay, and another language can be added")
  func publish() async throws {
    let fixture = try await ServerFixture()
    let address = "/operator/product?app=com.example.reader&id=\(BookStore.coins)"
    try await fixture.withClient { client in
      let session = try await PageSession(client, key: fixture.operatorKey)
      fixture.clock.advance(seconds: 1)
      let changed = try await session.send(
        "publish", on: "\(address)&language=pt-BR",
        [
          "credits.amount:number:type=Consumable": "7", "localisations.pt-BR.name:wholeText": "Cinco",
          "localisations.en.description:wholeText": "", "isListed:flag": "false", "reason:text": "a better price",
        ])
      #expect((changed.status, changed.headers[.location]) == (303, address), "\(changed.text)")
      let product = try await fixture.ledger.product(BookStore.coins, of: BookStore.app).product.product
      #expect(product.credits?.amount == 7 && !product.isListed && product.type == .consumable)
      #expect(product.localisations.mapValues(\.name) == ["en": "Five coins", "de": "Fünf Münzen", "pt-BR": "Cinco"])
      #expect(product.localisations["en"]?.description == "")
      #expect(try await fixture.ledger.auditLog().first?.detail.hasSuffix(": a better price") == true)
      // A wrong value is said beside its field, and nothing changes.
      let wrong = try await session.send(
        "publish", on: address,
        ["credits.amount:number:type=Consumable": "many", "reason:text": "x"])
      #expect(wrong.status == 400 && wrong.text.contains("data-field=\"credits.amount:number:type=Consumable\""))
      let new = "/operator/product?app=com.example.reader&id=com.example.new&new=yes"
      #expect(try await session.page(new).text.contains("not published yet"))
      let added = try await session.send("publish", on: new, ["type:text": "Non-Consumable", "reason:text": "new"])
      #expect(added.status == 303, "\(added.text)")
      #expect(try await session.page("/operator/products?app=com.example.reader").text.contains("com.example.new"))
    }
  }

  @Test("a product's files are listed with size and digest; one that the content store has lost is missing")
  func files() async throws {
    let fixture = try await ServerFixture()
    let address = "/operator/product?app=com.example.reader&id=\(BookStore.poem)"
    try await fixture.withClient { client in
      let session = try await PageSession(client, key: fixture.operatorKey)
      let page = try await session.page(address)
      for text in ["poem.txt", "\(ServerFixture.poemText.count)", "\(Sample.digest(ServerFixture.poemText))"] {
        #expect(page.text.contains(text), "\(text)")
      }
      #expect(page.text.contains("can be delivered") && !page.text.contains("missing"))
      let digest = "\(Sample.digest(ServerFixture.poemText))"
      try FileManager.default.removeItem(at: fixture.folder.url.appending(path: digest))
      let path = "/v1/operator/apps/com.example.reader/products/\(BookStore.poem)"
      let files = try await client.get(path, token: fixture.operatorKey).list("files")
      #expect(files.map { $0["isStored"] as? Bool } == [false])
      #expect(try await session.page(address).text.contains("missing"))
    }
  }

  @Test("a notification that is set aside has its problem and its decoded contents on its page, and can be replayed")
  func notification() async throws {
    let server = try await FilledServer()
    let charge = server.filled("NOTIFICATION")
    let hostile = "<script>alert(1)</script>"
    try await server.fixture.ledger.setAside("n-2", of: charge, problem: hostile)
    try await server.fixture.withClient { client in
      let session = try await PageSession(client, key: server.fixture.operatorKey)
      let list = try await session.page("/operator/notifications?app=com.example.reader&state=setAside")
      #expect(list.text.contains("ONE_TIME_CHARGE"))
      let address = "/operator/notification?app=com.example.reader&uuid=n-2"
      let page = try await session.page(address)
      #expect(page.text.contains(hostile))
      #expect(page.preformatted["payload"]?.contains("\"notificationType\" : \"ONE_TIME_CHARGE\"") == true)
      #expect(page.preformatted["transaction"]?.contains("\"bundleId\" : \"com.example.reader\"") == true)
      // Signed data would be a proof of the purchase.
      let contents = try await client.get(
        "/v1/operator/apps/com.example.reader/notifications/n-2/contents", token: server.fixture.operatorKey)
      #expect(contents.object.keys.sorted() == ["payload", "transactionInfo"], "\(contents.text)")
      for text in [page.text, contents.text] {
        #expect(!text.contains("signedTransactionInfo\"") && !text.contains("eyJ"))
      }
      let path = "/v1/operator/apps/com.example.reader/notifications/\(server.filled("RECEIVED"))/contents"
      let recorded = try await client.get(path, token: server.fixture.operatorKey)
      #expect((recorded.status, recorded.code) == (404, "notSetAside"))
      let replayed = try await session.send("replay", on: address, ["reason:text": "mended"])
      #expect(replayed.status < 500, "\(replayed.text)")
    }
  }

  @Test("health has the version, the ledger, what is set aside, the histories, and what was heard of the store")
  func health() async throws {
    var options = ServerFixture.Options()
    options.configuration.version = "1.2.3"
    let fixture = try await ServerFixture(options)
    _ = try await fixture.ledger.takeCursor(.notificationHistory, of: BookStore.app, in: .sandbox)
    try await fixture.ledger.setAside("a", of: "x")
    fixture.metrics.store.noteAnswer(about: BookStore.app, at: BookStore.opening)
    fixture.metrics.store.noteFailure(
      about: BookStore.app, "<b>no answer</b>", at: BookStore.opening.adding(seconds: 60))
    try await fixture.withClient { client in
      let health = try await client.get("/v1/operator/health", token: fixture.operatorKey).object
      #expect(health["version"] as? String == "1.2.3" && health["problem"] == nil)
      #expect(health["incarnation"] as? String == "\(try await fixture.ledger.incarnation())")
      let apps = try #require(health["apps"] as? [[String: Any]])
      #expect(apps.map { $0["bundleId"] as? String } == ["com.example.player", "com.example.reader"])
      #expect(apps.map { $0["setAside"] as? Int } == [0, 1])
      let histories = try #require(apps[1]["histories"] as? [[String: Any]])
      #expect(histories.map { $0["environment"] as? String } == ["Sandbox"] && histories[0]["leasedUntil"] != nil)
      #expect((apps[1]["lastFailure"] as? [String: Any])?["message"] as? String == "<b>no answer</b>")
      let session = try await PageSession(client, key: fixture.operatorKey)
      let page = try await session.page("/operator/health")
      for text in ["1.2.3", "SQLite", "ready", "being read", "<b>no answer</b>", "failed"] {
        #expect(page.text.contains(text), "\(text)")
      }
      fixture.metrics.store.noteAnswer(about: BookStore.app, at: BookStore.opening.adding(seconds: 120))
      #expect(try await session.page("/operator/health").text.contains("answered since"))
    }
  }

  @Test("a server whose disk takes no writes says so on the page of its health, in the words of /ready")
  func notReady() async throws {
    let database = FailingDatabase(try SQLiteLedgerDatabase(at: nil))
    let fixture = try await ServerFixture(.init(database: database))
    let session = try await fixture.withClient { client in try await PageSession(client, key: fixture.operatorKey) }
    database.isFull = true
    fixture.time.advance(seconds: 1)
    try await fixture.withClient { client in
      let ready = try await client.get("/ready")
      #expect(ready.status == 503)
      let reply = try await client.send(.get, "/operator/health", headers: session.headers)
      let page = try HTMLCheck(reply.text)
      #expect(page.text.contains("not ready") && page.text.contains(ready.message), "\(page.text)")
    }
  }
}
