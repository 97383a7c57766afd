import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseServer

/// The requests of an import of one file.
enum ImportPages {
  static let path = "/v1/operator/apps/com.example.reader/imports"
  static let digest = String(repeating: "1f", count: 32)

  static func page(
    _ rows: [[String: String]], apply: Bool, isLast: Bool = true, first: Int = 2
  ) throws -> String {
    var numbered: [[String: any Sendable]] = []
    for (place, row) in rows.enumerated() {
      var members: [String: any Sendable] = ["row": first + place]
      for (column, value) in row { members[column] = value }
      numbered.append(members)
    }
    return try json([
      "digest": digest, "apply": apply, "rows": numbered, "nextRow": first + rows.count, "isLast": isLast,
      "reason": "moved here",
    ])
  }
}

@Suite("Importing purchases", .timeLimit(.minutes(30)))
struct ImportTests {
  /// Each result as text, without the customer, whom a dry run may not know.
  private static func results(_ reply: Reply) -> [String] {
    reply.list("results").map { result in
      ["row", "result", "code", "column", "claim"].compactMap { result[$0].map { "\($0)" } }.joined(separator: " ")
    }
  }

  /// All rows of the ledger.
  private static func rows(_ shop: ServerAPIShop, _ kind: LedgerDatabaseKind) async throws -> [String: Int64] {
    try await shop.ledger.database.read { transaction in
      try LedgerSchema.tableNames(kind == .sqlite ? .sqlite : .postgreSQL).filter { $0 != "claim_transfer_4" }.reduce(
        into: [:]) {
          $0[$1] = try transaction.row("SELECT CAST(count(*) AS BIGINT) AS number FROM \($1)")?.integer("number")
        }
    }
  }

  @Test(
    "a dry run reports what the import then gives, and writes nothing; a repeated import gives nothing more",
    arguments: LedgerDatabaseKind.allCases)
  func dryRun(kind: LedgerDatabaseKind) async throws {
    try await ServerAPIShop.running(on: kind) { shop in
      let (key, phone) = (try await shop.adminKey(), try await shop.bookStore.phone())
      let installation = try await shop.client.post("\(ServerFixture.path)/installations", "{}")
      let customer = try #require(installation.object["customer"] as? String)
      let coins = try await shop.bookStore.buy(on: phone)
      let book = try await shop.bookStore.buy(BookStore.book, as: "payment 2", on: phone)
      let refunded = try await shop.bookStore.buy(as: "payment 3", on: phone)
      let draft = try await shop.bookStore.buy(BookStore.draft, as: "payment 4", on: phone)
      shop.bookStore.clock.advance(seconds: 60)
      try await shop.store.refund(refunded.id)
      let rows = [
        ["subject": "ada", "transactionId": coins.id.rawValue],
        ["customer": customer, "signedTransaction": book.signedTransaction],
        ["customer": customer, "transactionId": refunded.id.rawValue],
        ["customer": customer, "transactionId": draft.id.rawValue],
        ["customer": UUID().uuidString, "transactionId": coins.id.rawValue],
        ["customer": "ada", "transactionId": coins.id.rawValue],
        ["subject": "https://id.example ada", "transactionId": coins.id.rawValue],
        ["customer": customer, "appReceipt": "%"], ["customer": customer],
        ["customer": customer, "signedTransaction": "a.b.c"],
      ]
      let before = try await Self.rows(shop, kind)
      let dry = try await shop.client.post(ImportPages.path, ImportPages.page(rows, apply: false), token: key)
      #expect(dry.status == 200 && dry.object["nextRow"] as? Int == 12, "\(dry.text)")
      #expect(try await Self.rows(shop, kind) == before)
      #expect(try await shop.client.get("\(ImportPages.path)/\(ImportPages.digest)", token: key).status == 404)
      let expected = [
        "2 given \(coins.id)", "3 given \(book.id)", "4 refused refunded", "5 refused unknownProduct",
        "6 refused unknownCustomer customer", "7 refused malformedRow customer", "8 refused malformedRow subject",
        "9 refused unreadableProof appReceipt", "10 refused malformedRow",
      ]
      #expect(Self.results(dry).dropLast() == expected[...], "\(dry.text)")
      #expect(Self.results(dry).last?.hasPrefix("11 refused ") == true)

      let applied = try await shop.client.post(ImportPages.path, ImportPages.page(rows, apply: true), token: key)
      #expect(Self.results(applied) == Self.results(dry))
      let ada = try await shop.identified("ada")
      #expect(try await shop.coins(of: ada.token) == 5)
      let again = try await shop.client.post(ImportPages.path, ImportPages.page(rows, apply: true), token: key)
      #expect(Self.results(again) == Self.results(dry).map { $0.replacing(" given ", with: " givenBefore ") })
      #expect(try await shop.coins(of: ada.token) == 5)

      let progress = try await shop.client.get("\(ImportPages.path)/\(ImportPages.digest)", token: key)
      #expect(progress.object["nextRow"] as? Int == 12 && progress.object["finished"] != nil, "\(progress.text)")
      let audit = try await shop.ledger.auditLog().filter { $0.subject == ImportPages.digest }
      #expect(Set(audit.map(\.action)) == ["import", "finishImport"] && audit.count == 2)
      #expect(audit.contains { $0.detail == "in com.example.reader: moved here" })
    }
  }

  @Test(
    "an import of somebody else's ids: what another customer has claimed, or bought, is refused, and stays with that customer",
    arguments: LedgerDatabaseKind.allCases)
  func othersIDs(kind: LedgerDatabaseKind) async throws {
    try await ServerAPIShop.running(on: kind) { shop in
      let (key, phone) = (try await shop.adminKey(), try await shop.bookStore.phone())
      let (ada, owner) = (try await shop.identified("ada"), try await shop.anonymous())
      let claimed = try await shop.bookStore.buy(on: phone)
      let named = try await shop.bookStore.buy(as: "payment 2", for: ada.id, on: phone)
      let redeemed = try await shop.redeem(
        ["signedTransaction": claimed.signedTransaction], [claimed.id], token: owner)
      #expect(redeemed.status == 200, "\(redeemed.text)")
      let rows = [
        ["subject": "eve", "transactionId": claimed.id.rawValue],
        ["subject": "eve", "transactionId": named.id.rawValue],
        ["subject": "eve", "signedTransaction": claimed.signedTransaction], ["subject": "eve", "transactionId": "1"],
      ]
      let customers = try await Self.rows(shop, kind)["customer"]
      for apply in [false, true, true] {
        let reply = try await shop.client.post(ImportPages.path, ImportPages.page(rows, apply: apply), token: key)
        #expect(
          Self.results(reply).prefix(3) == [
            "2 refused claimedByAnotherCustomer", "3 refused namesAnotherCustomer",
            "4 refused claimedByAnotherCustomer",
          ], "\(reply.text)")
        #expect(reply.list("results").allSatisfy { $0["result"] as? String == "refused" }, "\(reply.text)")
      }
      #expect(try await Self.rows(shop, kind)["customer"] == customers, "a refused row creates no customer")
      #expect(try await shop.coins(of: owner) == 5)
      #expect(try await shop.coins(of: try await shop.identified("eve").token) == 0)
      // The customer whom the purchase names still gets it.
      let reply = try await shop.client.post(
        ImportPages.path, ImportPages.page([["subject": "ada", "transactionId": named.id.rawValue]], apply: true),
        token: key)
      #expect(Self.results(reply) == ["2 given \(named.id)"], "\(reply.text)")
    }
  }

  @Test(
    "a subject with a blank around it or an invisible character is refused with its row: its customer could never sign in",
    arguments: [false, true])
  func invisibleSubjects(applies: Bool) async throws {
    try await ServerAPIShop.running { shop in
      let (key, phone) = (try await shop.adminKey(), try await shop.bookStore.phone())
      let coins = try await shop.bookStore.buy(on: phone)
      let customers = try await Self.rows(shop, .sqlite)["customer"]
      let subjects = [
        (" ada", "begins with a blank"), ("ada ", "ends with a blank"), ("", "is empty"),
        ("ada\u{A0}", "invisible character U+00A0"), ("\tada", "invisible character U+0009"),
        ("a\u{202E}da", "invisible character U+202E"), ("ada\u{200B}", "invisible character U+200B"),
        ("ada\u{E0041}", "invisible character U+E0041"), (" https://id.example ada", "begins with a blank"),
      ]
      let rows = subjects.map { ["subject": $0.0, "transactionId": coins.id.rawValue] }
      let reply = try await shop.client.post(
        ImportPages.path, ImportPages.page(rows, apply: applies), token: key)
      #expect(
        Self.results(reply) == (2..<11).map { "\($0) refused malformedRow subject" }, "\(reply.text)")
      for (result, subject) in zip(reply.list("results"), subjects) {
        let message = result["message"] as? String ?? ""
        #expect(message.contains(subject.1) && message.contains("Write it as"), "\(message)")
      }
      #expect(try await Self.rows(shop, .sqlite)["customer"] == customers)
      // The same name without them gets the purchase. Blanks inside, and letters of all scripts, are permitted.
      for name in ["ada", "Ada Łojek", "名前"] {
        let row = ["subject": name, "transactionId": coins.id.rawValue]
        let right = try await shop.client.post(ImportPages.path, ImportPages.page([row], apply: false), token: key)
        #expect(Self.results(right) == ["2 given \(coins.id)"], "\(right.text)")
      }
    }
  }

  @Test(
    "the id of a redelivery imports the purchase that was delivered again, and does not hold up the rows after it",
    arguments: LedgerDatabaseKind.allCases)
  func redelivery(kind: LedgerDatabaseKind) async throws {
    try await ServerAPIShop.running(on: kind) { shop in
      let (key, phone) = (try await shop.adminKey(), try await shop.bookStore.phone())
      let book = try await shop.bookStore.buy(BookStore.book, on: phone)
      let again = try await shop.bookStore.purchase(BookStore.book, as: "payment 2", on: phone)
      let id = try #require(again.deliveries.first?.redelivery?.transactionID)
      let coins = try await shop.bookStore.buy(as: "payment 3", on: phone)
      let rows = [id, coins.id].map { ["subject": "ada", "transactionId": $0.rawValue] }
      for (apply, result) in [(false, "given"), (true, "given"), (true, "givenBefore")] {
        let reply = try await shop.client.post(ImportPages.path, ImportPages.page(rows, apply: apply), token: key)
        #expect(Self.results(reply) == ["2 \(result) \(book.id)", "3 \(result) \(coins.id)"], "\(reply.text)")
        #expect(reply.object["nextRow"] as? Int == 4 && reply.object["retryAfterSeconds"] == nil, "\(reply.text)")
      }
      #expect(try await shop.coins(of: try await shop.identified("ada").token) == 5)
    }
  }

  @Test(
    "a refunded purchase is refused and claimed: its customer gets it if the refund is reversed",
    arguments: LedgerDatabaseKind.allCases)
  func refunded(kind: LedgerDatabaseKind) async throws {
    try await ServerAPIShop.running(on: kind) { shop in
      let key = try await shop.adminKey()
      let coins = try await shop.bookStore.buy(on: try await shop.bookStore.phone())
      shop.bookStore.clock.advance(seconds: 60)
      try await shop.store.refund(coins.id)
      let row = ["subject": "ada", "transactionId": coins.id.rawValue]
      let reply = try await shop.client.post(ImportPages.path, ImportPages.page([row], apply: true), token: key)
      #expect(Self.results(reply) == ["2 refused refunded"], "\(reply.text)")
      try await shop.store.reverseRefund(of: coins.id)
      shop.bookStore.clock.advance(seconds: 86_400)
      #expect(try await shop.reverify() == 1)
      #expect(try await shop.coins(of: try await shop.identified("ada").token) == 5)
    }
  }

  @Test(
    "while the store cannot be asked, the page ends before that row, and the progress is stored",
    arguments: [true, false])
  func storeAway(applies: Bool) async throws {
    try await ServerAPIShop.running(app: ["certificateStatus": "hard"]) { shop in
      let (key, phone) = (try await shop.adminKey(), try await shop.bookStore.phone())
      let coins = try await shop.bookStore.buy(on: phone)
      let rows = [
        ["subject": "ada"], ["subject": "ada", "signedTransaction": coins.signedTransaction], ["subject": "ada"],
      ]
      let fault = Fault(OCSPDownFault())
      try shop.store.set(fault)
      let reply = try await shop.client.post(ImportPages.path, ImportPages.page(rows, apply: applies), token: key)
      #expect(reply.object["nextRow"] as? Int == 3 && reply.object["retryAfterSeconds"] is Int, "\(reply.text)")
      #expect(Self.results(reply) == ["2 refused malformedRow"])
      let progress = try await shop.client.get("\(ImportPages.path)/\(ImportPages.digest)", token: key)
      #expect(progress.object["nextRow"] as? Int == (applies ? 3 : nil) && progress.object["finished"] == nil)
      // An earlier page that is sent again does not move the progress back.
      _ = try await shop.client.post(
        ImportPages.path, ImportPages.page([], apply: applies, isLast: false, first: 2), token: key)
      let unchanged = try await shop.client.get("\(ImportPages.path)/\(ImportPages.digest)", token: key)
      #expect(unchanged.text == progress.text)
    }
  }

  @Test("if the store refuses this server, the page ends before that row, and its request is refused with the reason")
  func misconfigured() async throws {
    try await ServerAPIShop.running { shop in
      let (key, phone) = (try await shop.adminKey(), try await shop.bookStore.phone())
      let coins = try await shop.bookStore.buy(on: phone)
      try shop.store.set(Fault(TokenRefusedFault()))
      let row = ["subject": "ada", "transactionId": coins.id.rawValue]
      let first = try await shop.client.post(
        ImportPages.path, ImportPages.page([["subject": "ada"], row], apply: true), token: key)
      #expect(first.object["nextRow"] as? Int == 3 && first.object["retryAfterSeconds"] == nil, "\(first.text)")
      #expect(Self.results(first) == ["2 refused malformedRow"])
      let second = try await shop.client.post(
        ImportPages.path, ImportPages.page([row], apply: true, first: 3), token: key)
      #expect((second.status, second.code) == (503, "misconfigured"), "\(second.text)")
      #expect(second.text.contains("The store refuses to answer this server: "), "\(second.text)")
      let progress = try await shop.client.get("\(ImportPages.path)/\(ImportPages.digest)", token: key)
      #expect(progress.object["nextRow"] as? Int == 3 && progress.object["finished"] == nil, "\(progress.text)")
    }
  }

  @Test(
    "a verification that begins at the last allowed second ends before its request",
    arguments: [3, 4, 20, 45, 60, 600])
  func time(requestSeconds: Int) {
    var limits = ServiceLimits()
    limits.requestSeconds = requestSeconds
    let longest = limits.verificationSeconds + limits.answerTimeoutSeconds
    #expect(limits.lastVerificationSeconds >= 1 && limits.lastVerificationSeconds + longest <= requestSeconds)
  }

  @Test("rows that do not ascend, too many rows, and a digest that is none: 400")
  func malformedPages() async throws {
    let fixture = try await ServerFixture()
    let row = #"{"row":2,"customer":"x","transactionId":"1"}"#
    for (rows, next, digest) in [
      ("[\(row),\(row)]", 3, ImportPages.digest), ("[\(row)]", 2, ImportPages.digest), ("[]", 0, ImportPages.digest),
      ("[]", 1, "1F"),
      ("[\((1...101).map { row.replacing("2", with: "\($0)") }.joined(separator: ","))]", 102, ImportPages.digest),
    ] {
      let body = #"{"digest":"\#(digest)","apply":true,"isLast":true,"nextRow":\#(next),"rows":\#(rows)}"#
      let reply = try await fixture.withClient { try await $0.post(ImportPages.path, body, token: fixture.operatorKey) }
      #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(reply.text)")
    }
    // Without an identity system, no customer has a subject.
    let body = try ImportPages.page([["subject": "ada", "transactionId": "1"]], apply: true)
    let reply = try await fixture.withClient { try await $0.post(ImportPages.path, body, token: fixture.operatorKey) }
    #expect(Self.results(reply) == ["2 refused noIdentitySystem subject"], "\(reply.text)")
  }
}
