import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(10))) struct LedgerCustomerTests {
  @Test(
    "A token opens what is its holder's, until it is revoked; the ledger has its hash only",
    arguments: LedgerEngine.allCases)
  func tokens(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let device = UUID(uuidString: "10000000-0000-4000-8000-000000000001")!
    let token = try await desk.token(on: device)

    let claimant = try await desk.ledger.authenticate(token)
    #expect(claimant.device == .vendorIdentifier(device))
    #expect(claimant.app == LedgerDesk.app)
    #expect(!claimant.isIdentified)
    let stored = try await desk.database.read { transaction in
      try transaction.rows("SELECT hash FROM bearer_token").map { try $0.text("hash") }
    }
    #expect(stored.count == 1 && stored != [token.text])

    try await desk.ledger.revoke(token)
    await #expect(throws: LedgerError.tokenRefused) { try await desk.ledger.authenticate(token) }
    await #expect(throws: LedgerError.tokenRefused) {
      try await desk.ledger.authenticate(BearerToken(text: "customer_x"))
    }
  }

  @Test(
    "Whom the operator's identity system names is one customer, however often and wherever seen first",
    arguments: LedgerEngine.allCases)
  func subjects(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)

    let seen = try await withThrowingTaskGroup(of: CustomerID.self) { group in
      for _ in 0..<16 { group.addTask { try await desk.identified("issuer ada").customer } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }

    #expect(seen.count == 1)
    #expect(try await desk.identified("issuer ben").customer != seen.first)
    await #expect(throws: LedgerError.self) { try await desk.identified("") }
  }

  @Test("An app that is not configured has no customers", arguments: LedgerEngine.allCases)
  func unknownApp(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)

    await #expect(throws: LedgerError.unknownApp("com.example.other")) {
      try await desk.ledger.registerInstallation(app: "com.example.other", device: nil)
    }
  }

  @Test(
    "An export has everything, and erasure leaves nothing that names the customer", arguments: LedgerEngine.allCases)
  func personalData(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine, LedgerSettings(reverificationSeconds: 60))
    let device = UUID(uuidString: "10000000-0000-4000-8000-000000000001")!
    let token = try await desk.token(on: device)
    let claimant = try await desk.ledger.authenticate(token)
    let (coins, book) = (LedgerDesk.purchase(LedgerDesk.coins, 1), LedgerDesk.purchase(LedgerDesk.book, 2))
    _ = try await desk.redeem(coins, for: claimant)
    let goods = try #require(try await desk.redeem(book, for: claimant).given)

    let export = try await desk.ledger.export(claimant.customer)
    #expect(export.installations.map(\.device) == [device.uuidString])
    #expect(export.purchases.map(\.product) == [LedgerDesk.coins, LedgerDesk.book])
    #expect(export.entitlements.map(\.entitlement.product) == [LedgerDesk.book])
    #expect(export.accounts.first?.movements.map(\.amount) == [5])

    try await desk.ledger.erase(claimant.customer)
    try await desk.ledger.erase(claimant.customer)

    await #expect(throws: LedgerError.tokenRefused) { try await desk.ledger.authenticate(token) }
    await #expect(throws: LedgerError.unknownCustomer(claimant.customer)) {
      try await desk.ledger.export(claimant.customer)
    }
    await #expect(throws: LedgerError.deliveryEnded) {
      try await desk.ledger.delivery(try #require(goods.delivery))
    }
    let rest = try await desk.database.read { transaction in
      try transaction.rows("SELECT hash FROM bearer_token").count
        + transaction.rows("SELECT kind FROM stored_proof").count
        + transaction.rows("SELECT id FROM claim WHERE proof IS NOT NULL").count
    }
    #expect(rest == 0)
    // Granted credits are not granted again. The non-consumable was paid for and can be claimed by another customer.
    let ben = try await desk.identified("ben")
    #expect(try await desk.redeem(coins, issuedFor: device, for: ben).refusal == .claimedByAnotherCustomer)
    #expect(try await desk.redeem(book, for: ben).given?.isNew == false)
    #expect(try await desk.owned(by: ben.customer) == [LedgerDesk.book])
    let phone = try await desk.installation(on: device)
    #expect(try await desk.redeem(book, issuedFor: device, for: phone).refusal == .claimedByAnotherCustomer)
    try await desk.checkBooks()
  }

  @Test("The ledger opens under the anchors it was made for, and no others", arguments: LedgerEngine.allCases)
  func anchors(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let emulator = TrustAnchors(fingerprints: [SHA256Fingerprint(of: Data("root".utf8))])

    _ = try await Ledger(database: desk.database, anchors: .apple, apps: [:])
    for others in [emulator, emulator + .apple, TrustAnchors()] {
      await #expect(throws: LedgerError.self) {
        try await Ledger(database: desk.database, anchors: others, apps: [:])
      }
    }
    #expect(try await desk.ledger.anchors().split(separator: " ").count == 2)
  }
}
