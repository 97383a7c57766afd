import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseServer

/// Tests the rules of Documentation/purchase-server.md, "The customer's state".
@Suite("The version of a customer's state", .timeLimit(.minutes(30)))
struct CustomerStateTests {
  private static let path = "\(ServerFixture.path)/customer/state"
  private static let device = UUID(uuidString: "10000000-0000-4000-8000-000000000001")!

  /// A customer, and changes of what the customer has.
  private struct Play: Sendable {
    let fixture: ServerFixture
    let client: any TestClientProtocol
    let customer: CustomerID
    let token: String
    var ledger: Ledger { fixture.ledger }
    var now: StoreDate { fixture.clock.now }

    func tag() async throws -> String {
      let reply = try await client.get(CustomerStateTests.path, token: token)
      #expect(reply.status == 200, "\(reply.text)")
      return try #require(reply.headers[.eTag])
    }

    func isUnchanged(since tag: String) async throws -> Bool {
      let reply = try await client.get(CustomerStateTests.path, token: token, headers: ["If-None-Match": tag])
      #expect(reply.status == 304 ? reply.body.isEmpty : reply.status == 200)
      return reply.status == 304
    }

    func purchase(
      _ product: ProductID, _ id: UInt64, original: UInt64? = nil, until: StoreDate? = nil, refunded: Bool = false
    ) -> ProvenPurchase {
      ProvenPurchase(
        transactionID: TransactionID(id), originalTransactionID: original.map(TransactionID.init), productID: product,
        purchaseDate: BookStore.opening, expiresDate: until,
        revocation: refunded ? .init(date: BookStore.opening) : nil)
    }

    func proof(_ purchases: [ProvenPurchase], _ renewals: [ProvenRenewal] = []) -> VerifiedProof {
      VerifiedProof(
        proof: .appReceipt(Data("receipt".utf8)), app: BookStore.app, environment: .production, statedDate: now,
        issuedDate: now, purchases: purchases,
        renewals: Dictionary(renewals.map { ($0.originalTransactionID, $0) }) { $1 },
        isIssued: { $0 == .vendorIdentifier(CustomerStateTests.device) })
    }

    func redeem(_ purchases: ProvenPurchase..., by token: String? = nil) async throws {
      let claimant = try await ledger.authenticate(BearerToken(text: token ?? self.token))
      let request = RedemptionRequest.purchases(purchases.map { .init(transactionID: $0.transactionID) })
      let redemption = try await ledger.redeem(proof(purchases), request, for: claimant)
      for purchase in redemption.purchases {
        if case .refused(let refusal) = purchase.outcome { Issue.record("refused: \(refusal)") }
      }
    }

    /// Records what the store states a second later.
    func state(_ purchases: ProvenPurchase..., renewal: ProvenRenewal? = nil) async throws {
      fixture.clock.advance(seconds: 1)
      _ = try await ledger.recordStatuses(from: proof(purchases, renewal.map { [$0] } ?? []))
    }

    func grant(_ grant: OperatorGrant, _ key: String) async throws {
      try await ledger.grant(grant, to: customer, app: BookStore.app, key: key, reason: "test", by: "olga")
    }

    func spend(_ amount: Int64, _ key: String) async throws {
      _ = try await ledger.spend(
        amount, of: CreditUnit(rawValue: "coins")!, key: key, customer: customer, app: BookStore.app)
    }

    func renewal(isOn: Bool = true, retries: Bool = false, grace: StoreDate? = nil) -> ProvenRenewal {
      ProvenRenewal(
        originalTransactionID: TransactionID(40), lastPeriod: TransactionID(40), productID: BookStore.club,
        isAutoRenewOn: isOn, isInBillingRetry: retries, gracePeriodEnd: grace, expirationIntent: nil)
    }
  }

  private func play(
    on database: any LedgerDatabase, _ body: @escaping @Sendable (Play) async throws -> Void
  ) async throws {
    var options = ServerFixture.Options()
    options.database = database
    options.settings = LedgerSettings(refundPolicy: .block)
    let fixture = try await ServerFixture(options)
    let new = try await fixture.ledger.registerInstallation(
      app: BookStore.app, device: .vendorIdentifier(Self.device))
    fixture.clock.advance(seconds: 60)
    try await fixture.withClient {
      try await body(Play(fixture: fixture, client: $0, customer: new.customer, token: new.token.text))
    }
  }

  private struct Step: Sendable {
    let name: String
    let act: @Sendable (Play) async throws -> Void

    init(_ name: String, _ act: @escaping @Sendable (Play) async throws -> Void) { (self.name, self.act) = (name, act) }
  }

  private static let period: Int64 = 30 * 86_400
  private static let end = BookStore.opening.adding(seconds: period)

  /// Changes that the customer can see, in this order.
  private static let changes: [Step] = [
    Step("credits granted") { try await $0.grant(.credits(CreditUnit(rawValue: "coins")!, 5), "a") },
    Step("credits spent") { try await $0.spend(2, "a") },
    Step("credits removed") { try await $0.grant(.credits(CreditUnit(rawValue: "coins")!, -1), "b") },
    Step("credits bought") { try await $0.redeem($0.purchase(BookStore.coins, 10)) },
    Step("all credits spent") { try await $0.spend(7, "b") },
    Step("bought credits refunded, spending blocked") {
      try await $0.state($0.purchase(BookStore.coins, 10, refunded: true))
    },
    Step("block lifted") {
      _ = try await $0.ledger.liftBlock(
        of: CreditUnit(rawValue: "coins")!, customer: $0.customer, app: BookStore.app, reason: "test", by: "olga")
    },
    Step("refund of credits reversed") { try await $0.state($0.purchase(BookStore.coins, 10)) },
    Step("a book bought") { try await $0.redeem($0.purchase(BookStore.book, 20)) },
    Step("the book refunded") { try await $0.state($0.purchase(BookStore.book, 20, refunded: true)) },
    Step("the refund reversed") { try await $0.state($0.purchase(BookStore.book, 20)) },
    Step("another version of the book's files") {
      try await $0.fixture.publish([("new.txt", Data("new".utf8))], of: BookStore.book)
    },
    Step("a magazine granted until a date") {
      try await $0.grant(.product(BookStore.magazine, accessUntil: $0.now.adding(seconds: 10)), "a")
    },
    Step("the magazine's access expires without a write") { $0.fixture.clock.advance(seconds: 10) },
    Step("a magazine granted") { try await $0.grant(.product(BookStore.magazine, accessUntil: nil), "b") },
    Step("the first files of the magazine") {
      try await $0.fixture.publish([("issue.txt", Data("issue".utf8))], of: BookStore.magazine)
    },
    Step("the magazine revoked") {
      _ = try await $0.ledger.revoke(
        BookStore.magazine, source: "grant:b", from: $0.customer, app: BookStore.app, reason: "test", by: "olga")
    },
    Step("a subscription bought") { try await $0.redeem($0.purchase(BookStore.club, 40, until: end)) },
    Step("its renewal turned off") {
      try await $0.state($0.purchase(BookStore.club, 40, until: end), renewal: $0.renewal(isOn: false))
    },
    Step("the period expires without a write") { $0.fixture.clock.set(end) },
    Step("a grace period") {
      try await $0.state(
        $0.purchase(BookStore.club, 40, until: end),
        renewal: $0.renewal(retries: true, grace: end.adding(seconds: period)))
    },
    Step("the grace period ends without a write") { $0.fixture.clock.set(end.adding(seconds: period)) },
    Step("renewed") {
      try await $0.state($0.purchase(BookStore.club, 41, original: 40, until: end.adding(seconds: 2 * period)))
    },
    Step("the subscription's product gets a name") {
      try await $0.ledger.publish(
        LedgerProduct(
          id: BookStore.club, type: .autoRenewableSubscription, isListed: false,
          entitlements: [EntitlementName(rawValue: "club")!]), app: BookStore.app, by: "olga")
    },
    Step("the name's access ends without a write") { $0.fixture.clock.set(end.adding(seconds: 2 * period)) },
    Step("the book moved to another customer") {
      let other = try await $0.fixture.reader()
      _ = try await $0.ledger.move(
        TransactionID(20), in: .production, app: BookStore.app, to: try #require(CustomerID(other.customer)),
        reason: "test", by: "olga")
    },
    Step("the ledger restored") { try await $0.ledger.beginIncarnation(by: "olga") },
  ]

  @Test(
    "F3 every change that the customer can see changes the version, also one by time; until the next one the answer is 304",
    arguments: LedgerDatabaseKind.allCases)
  func changes(_ kind: LedgerDatabaseKind) async throws {
    try await kind.withDatabase { database in
      try await play(on: database) { play in
        var tags = [try await play.tag()]
        for step in Self.changes {
          try await step.act(play)
          #expect(try await !play.isUnchanged(since: try #require(tags.last)), "\(step.name)")
          tags.append(try await play.tag())
          #expect(try await play.isUnchanged(since: try #require(tags.last)), "\(step.name)")
        }
        #expect(Set(tags).count == tags.count)
      }
    }
  }

  /// What happens without a change for the customer.
  private static let otherEvents: [Step] = [
    Step("time passes") { $0.fixture.clock.advance(seconds: 100) },
    Step("new links") { _ = try await $0.client.get("\(ServerFixture.path)/deliveries", token: $0.token) },
    Step("the same spend again") { try await $0.spend(1, "a") },
    Step("the same purchase again") { try await $0.redeem($0.purchase(BookStore.book, 20)) },
    Step("the same status again") { try await $0.state($0.purchase(BookStore.book, 20)) },
    Step("another customer's purchase") {
      try await $0.redeem($0.purchase(BookStore.coins, 30), by: $0.fixture.reader().token)
    },
    Step("a product's texts") {
      try await $0.ledger.publish(
        LedgerProduct(
          id: BookStore.book, type: .nonConsumable, localisations: ["en": .init(name: "Book", description: "")]),
        app: BookStore.app, by: "olga")
    },
    Step("a name of a product that the customer does not have") {
      try await $0.ledger.publish(
        LedgerProduct(
          id: BookStore.poem, type: .nonConsumable, entitlements: [EntitlementName(rawValue: "club")!]),
        app: BookStore.app, by: "olga")
    },
    Step("an offering") {
      _ = try await $0.ledger.publish(
        Offering(id: OfferingID(rawValue: "summer")!, products: [BookStore.book], isCurrent: true), app: BookStore.app,
        by: "olga")
    },
    Step("files of a product that the customer does not have") {
      try await $0.fixture.publish([("new.txt", Data("new".utf8))], of: BookStore.poem)
    },
    Step("an export") { _ = try await $0.client.get("\(ServerFixture.path)/customer/export", token: $0.token) },
    Step("an operator's key") { _ = try await $0.ledger.createOperatorKey(name: "b", role: .read, by: .commandLine) },
  ]

  @Test("F3 nothing else changes the version", arguments: LedgerDatabaseKind.allCases)
  func noChanges(_ kind: LedgerDatabaseKind) async throws {
    try await kind.withDatabase { database in
      try await play(on: database) { play in
        try await play.grant(.credits(CreditUnit(rawValue: "coins")!, 5), "a")
        try await play.spend(1, "a")
        try await play.redeem(play.purchase(BookStore.book, 20))
        try await play.grant(
          .product(BookStore.magazine, accessUntil: play.now.adding(seconds: Self.period)), "a")
        let tag = try await play.tag()
        for step in Self.otherEvents {
          try await step.act(play)
          #expect(try await play.isUnchanged(since: tag), "\(step.name)")
        }
      }
    }
  }

  @Test(
    "D1 an installation that joins another customer gets another version: that of the joined customer",
    arguments: LedgerDatabaseKind.allCases)
  func joined(_ kind: LedgerDatabaseKind) async throws {
    try await kind.withDatabase { database in
      try await play(on: database) { earlier in
        try await earlier.redeem(earlier.purchase(BookStore.book, 20))
        let new = try await earlier.ledger.registerInstallation(
          app: BookStore.app, device: .vendorIdentifier(Self.device))
        let newcomer = Play(
          fixture: earlier.fixture, client: earlier.client, customer: new.customer, token: new.token.text)
        let tag = try await newcomer.tag()
        earlier.fixture.clock.advance(seconds: 60)
        try await newcomer.redeem(newcomer.purchase(BookStore.book, 20))
        #expect(try await !newcomer.isUnchanged(since: tag))
        #expect(try await newcomer.tag() == earlier.tag())
        // The state of a customer who was joined to another is not shown, whoever authenticated before.
        await #expect(throws: LedgerError.unknownCustomer(new.customer)) {
          try await newcomer.ledger.state(of: new.customer, app: BookStore.app)
        }
      }
    }
  }

  @Test("the state has what the lists have, and pages of it have a version each; another's version is of no use")
  func pages() async throws {
    try await play(on: SQLiteLedgerDatabase(at: nil)) { play in
      for (number, product) in [BookStore.book, BookStore.poem, BookStore.magazine].enumerated() {
        try await play.grant(.product(product, accessUntil: nil), "\(number)")
      }
      var (found, delivered, next, pages): ([String], [String], String?, Int) = ([], [], nil, 0)
      repeat {
        let address = "\(Self.path)?limit=2\(next.map { "&after=\($0)" } ?? "")"
        let page = try await play.client.get(address, token: play.token)
        found += page.list("entitlements").compactMap { $0["source"] as? String }
        delivered += page.list("deliveries").compactMap { $0["id"] as? String }
        let tag = try #require(page.headers[.eTag])
        let same = try await play.client.get(address, token: play.token, headers: ["If-None-Match": tag])
        #expect((same.status, same.headers[.eTag]) == (304, tag))
        #expect(page.headers[.cacheControl] == "private, max-age=0, must-revalidate")
        next = page.object["next"] as? String
        pages += 1
      } while next != nil && pages < 9
      #expect((found.sorted(), delivered.count, pages) == (["grant:0", "grant:1", "grant:2"], 2, 2))
      for query in ["after=x", "after=WyJhIl0", "limit=0", "limit=1001"] {
        let refused = try await play.client.get("\(Self.path)?\(query)", token: play.token)
        #expect([400, 422].contains(refused.status), "\(query): \(refused.text)")
      }
      let other = try await play.fixture.reader()
      let tag = try await play.tag()
      let reply = try await play.client.get(Self.path, token: other.token, headers: ["If-None-Match": tag])
      #expect((reply.status, reply.list("entitlements").count) == (200, 0))
      #expect(try await play.client.get(Self.path, headers: ["If-None-Match": tag]).status == 401)
      try await play.ledger.erase(play.customer)
      let erased = try await play.client.get(Self.path, token: play.token, headers: ["If-None-Match": tag])
      #expect((erased.status, erased.code) == (401, "tokenRefused"))
    }
  }
}
