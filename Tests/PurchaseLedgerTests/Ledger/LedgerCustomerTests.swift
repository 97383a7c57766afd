import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(30))) struct LedgerCustomerTests {
  @Test(
    "A token gives access to its holder's data until it is revoked; the ledger stores only its hash",
    arguments: LedgerEngine.allCases)
  func tokens(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let device = UUID(uuidString: "10000000-0000-4000-8000-000000000001")!
    let token = try await fixture.token(on: device)

    let claimant = try await fixture.ledger.authenticate(token)
    #expect(claimant.device == .vendorIdentifier(device))
    #expect(claimant.app == TestLedger.app)
    #expect(!claimant.isIdentified)
    let stored = try await fixture.database.read { transaction in
      try transaction.rows("SELECT hash FROM bearer_token").map { try $0.text("hash") }
    }
    #expect(stored.count == 1 && stored != [token.text])

    try await fixture.ledger.revoke(token)
    await #expect(throws: LedgerError.tokenRefused) { try await fixture.ledger.authenticate(token) }
    await #expect(throws: LedgerError.tokenRefused) {
      try await fixture.ledger.authenticate(BearerToken(text: "customer_x"))
    }
  }

  @Test(
    "A subject of the operator's identity system is one customer, also on simultaneous first requests",
    arguments: LedgerEngine.allCases)
  func subjects(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)

    let seen = try await withThrowingTaskGroup(of: CustomerID.self) { group in
      for _ in 0..<16 { group.addTask { try await fixture.identified("issuer ada").customer } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }

    #expect(seen.count == 1)
    #expect(try await fixture.identified("issuer ben").customer != seen.first)
    await #expect(throws: LedgerError.self) { try await fixture.identified("") }
  }

  @Test("An app that is not configured has no customers", arguments: LedgerEngine.allCases)
  func unknownApp(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)

    await #expect(throws: LedgerError.unknownApp("com.example.other")) {
      try await fixture.ledger.registerInstallation(app: "com.example.other", device: nil)
    }
  }

  @Test(
    "An export contains everything, and erasure leaves nothing that identifies the customer",
    arguments: LedgerEngine.allCases)
  func personalData(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, LedgerSettings(reverificationSeconds: 60))
    let device = UUID(uuidString: "10000000-0000-4000-8000-000000000001")!
    let token = try await fixture.token(on: device)
    let claimant = try await fixture.ledger.authenticate(token)
    let (coins, book) = (TestLedger.purchase(TestLedger.coins, 1), TestLedger.purchase(TestLedger.book, 2))
    _ = try await fixture.redeem(coins, for: claimant)
    let goods = try #require(try await fixture.redeem(book, for: claimant).given)

    let export = try await fixture.ledger.exported(claimant.customer)
    #expect(export.installations.map(\.device) == [device.uuidString])
    #expect(export.purchases.map(\.product) == [TestLedger.coins, TestLedger.book])
    #expect(export.entitlements.map(\.entitlement.product) == [TestLedger.book])
    #expect(export.movements.map(\.movement.amount) == [5])

    try await fixture.ledger.erase(claimant.customer)
    try await fixture.ledger.erase(claimant.customer)

    await #expect(throws: LedgerError.tokenRefused) { try await fixture.ledger.authenticate(token) }
    await #expect(throws: LedgerError.unknownCustomer(claimant.customer)) {
      try await fixture.ledger.exported(claimant.customer)
    }
    await #expect(throws: LedgerError.deliveryEnded) {
      try await fixture.ledger.delivery(try #require(goods.delivery))
    }
    let rest = try await fixture.database.read { transaction in
      try transaction.rows("SELECT hash FROM bearer_token").count
        + transaction.rows("SELECT kind FROM stored_proof").count
        + transaction.rows("SELECT id FROM claim WHERE proof IS NOT NULL").count
    }
    #expect(rest == 0)
    // Granted credits are not granted again. The non-consumable was paid for and can be claimed by another customer.
    let ben = try await fixture.identified("ben")
    #expect(try await fixture.redeem(coins, issuedFor: device, for: ben).refusal == .claimedByAnotherCustomer)
    #expect(try await fixture.redeem(book, for: ben).given?.isNew == false)
    #expect(try await fixture.owned(by: ben.customer) == [TestLedger.book])
    let phone = try await fixture.installation(on: device)
    #expect(try await fixture.redeem(book, issuedFor: device, for: phone).refusal == .claimedByAnotherCustomer)
    try await fixture.checkBalances()
  }

  @Test(
    "An erased customer gets nothing by a reversed refund, a renewal, a change of plan or a new product's files",
    arguments: LedgerEngine.allCases)
  func erasedForGood(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ledger, gold) = (fixture.ledger, ProductID("com.example.reader.gold"))
    try await ledger.publish(
      LedgerProduct(id: gold, type: .autoRenewableSubscription), app: TestLedger.app, by: "olga")
    func period(_ id: UInt64, _ product: ProductID = TestLedger.club) -> ProvenPurchase {
      var purchase = TestLedger.purchase(product, id, original: 3)
      purchase.type = .autoRenewableSubscription
      purchase.expiresDate = TestLedger.start.adding(seconds: Int64(id) * 1_000)
      return purchase
    }
    let (book, other) = (TestLedger.purchase(TestLedger.book, 1), TestLedger.purchase(TestLedger.magazine, 2))
    let ada = try await fixture.identified("ada")
    for purchase in [book, other, period(3)] { _ = try await fixture.redeem(purchase, for: ada) }
    let refund = TestLedger.purchase(TestLedger.book, 1, refunded: 100_000)
    try await ledger.recordStatuses(from: TestLedger.proof([refund], stated: 5))
    try await ledger.erase(ada.customer)
    let before = try await LedgerReplay.events(of: ledger).count

    // A renewal, another plan, and the reversal.
    try await ledger.recordStatuses(from: TestLedger.proof([period(4)], stated: 10))
    try await ledger.recordStatuses(from: TestLedger.proof([period(5, gold)], stated: 20))
    try await ledger.recordStatuses(from: TestLedger.proof([book], stated: 30))
    let file = ContentFile(
      name: "issue.txt", size: 4, sha256: String(repeating: "b", count: 64), mediaType: "text/plain")
    _ = try await ledger.publish(files: [file], of: TestLedger.magazine, app: TestLedger.app, by: "olga")
    try await ledger.recordStatuses(from: TestLedger.proof([other], stated: 40))

    let events = try await LedgerReplay.events(of: ledger)
    let kinds = Set(events.dropFirst(before).map(\.type))
    let recorded: Set = ["period.recorded", "purchase.productChanged", "purchase.refundReversed"]
    #expect(kinds.isSuperset(of: recorded), "\(kinds)")
    #expect(kinds.filter { $0.hasPrefix("entitlement.") || $0.hasPrefix("delivery.") }.isEmpty, "\(kinds)")
    let rows = try await ledger.entitlements(of: ada.customer, app: TestLedger.app)
    #expect(rows.map(\.product) == [TestLedger.book, TestLedger.club, TestLedger.magazine])
    #expect(rows.allSatisfy { $0.ended != nil })
    #expect(try await LedgerReplay(events).differences(from: fixture.database) == [])

    // Another customer can still claim the purchases.
    let ben = try await fixture.identified("ben")
    #expect(try await fixture.redeem(book, stated: 30, for: ben).given != nil)
    #expect(try await fixture.redeem(period(5, gold), stated: 30, for: ben).given != nil)
    #expect(try await fixture.owned(by: ben.customer) == [TestLedger.book, gold])
    try await fixture.database.close()
  }

  @Test(
    "The ledger opens with the trust anchors that it was created with, and with no others",
    arguments: LedgerEngine.allCases)
  func anchors(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let emulator = TrustAnchors(fingerprints: [SHA256Fingerprint(of: Data("root".utf8))])

    _ = try await Ledger(database: fixture.database, anchors: .apple, apps: [:])
    for others in [emulator, emulator + .apple, TrustAnchors()] {
      await #expect(throws: LedgerError.self) {
        try await Ledger(database: fixture.database, anchors: others, apps: [:])
      }
    }
    #expect(try await fixture.ledger.anchors().split(separator: " ").count == 2)
  }
}
