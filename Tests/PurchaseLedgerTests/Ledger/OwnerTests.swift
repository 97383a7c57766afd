import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Tests each row of the table of Documentation/purchase-ledger.md, "A claim".
@Suite(.timeLimit(.minutes(30))) struct OwnerTests {
  let device = UUID(uuidString: "10000000-0000-4000-8000-000000000001")!

  @Test("G6 a second identified customer is refused, and nothing moves", arguments: LedgerEngine.allCases)
  func identified(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    let book = TestLedger.purchase(TestLedger.book, 1)
    _ = try await fixture.redeem(book, for: ada)

    let second = try await fixture.redeem(book, issuedFor: device, for: ben)

    #expect(second.refusal == .claimedByAnotherCustomer)
    #expect(try await fixture.owned(by: ada.customer) == [TestLedger.book])
    #expect(try await fixture.owned(by: ben.customer) == [])
  }

  @Test("G6 another customer's receipt gives an anonymous customer nothing", arguments: LedgerEngine.allCases)
  func withoutDeviceProof(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let first = try await fixture.installation(on: device)
    let elsewhere = try await fixture.installation(on: UUID(uuidString: "20000000-0000-4000-8000-000000000002")!)
    let nowhere = try await fixture.installation()
    let book = TestLedger.purchase(TestLedger.book, 1)
    _ = try await fixture.redeem(book, issuedFor: device, for: first)

    #expect(try await fixture.redeem(book, issuedFor: device, for: elsewhere).refusal == .claimedByAnotherCustomer)
    #expect(try await fixture.redeem(book, issuedFor: device, for: nowhere).refusal == .claimedByAnotherCustomer)
    #expect(try await fixture.owned(by: first.customer) == [TestLedger.book])
  }

  @Test(
    "An identified customer's purchase is not transferred to an installation, or vice versa",
    arguments: LedgerEngine.allCases)
  func mixed(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ada, phone) = (try await fixture.identified("ada"), try await fixture.installation(on: device))
    let (first, second) = (TestLedger.purchase(TestLedger.book, 1), TestLedger.purchase(TestLedger.magazine, 2))
    _ = try await fixture.redeem(first, issuedFor: device, for: ada)

    #expect(try await fixture.redeem(first, issuedFor: device, for: phone).refusal == .claimedByAnotherCustomer)
    _ = try await fixture.redeem(second, issuedFor: device, for: phone)
    #expect(try await fixture.redeem(second, issuedFor: device, for: ada).refusal == .claimedByAnotherCustomer)
  }

  @Test("A reinstalled app joins its earlier customer, and owns everything again", arguments: LedgerEngine.allCases)
  func join(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let first = try await fixture.installation(on: device)
    let (book, coins) = (TestLedger.purchase(TestLedger.book, 1), TestLedger.purchase(TestLedger.coins, 2))
    _ = try await fixture.redeem(coins, issuedFor: device, for: first)
    _ = try await fixture.redeem(book, issuedFor: device, for: first)
    let newToken = try await fixture.token(on: device)
    let newcomer = try await fixture.ledger.authenticate(newToken)

    // The magazine was never claimed before. The book belongs to the earlier customer.
    let redemption = try await fixture.ledger.redeem(
      TestLedger.proof([TestLedger.purchase(TestLedger.magazine, 3), book], issuedFor: device), .everythingOwned,
      for: newcomer)

    #expect(redemption.customer == first.customer)
    #expect(redemption.purchases.allSatisfy { $0.outcome.given != nil })
    #expect(try await fixture.ledger.authenticate(newToken).customer == first.customer)
    #expect(try await fixture.balance(of: first.customer) == 5)
    #expect(try await fixture.owned(by: first.customer) == [TestLedger.book, TestLedger.magazine])
    // The joined customer no longer exists, so a claimant that still names it is refused.
    await #expect(throws: LedgerError.unknownCustomer(newcomer.customer)) {
      try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 4), for: newcomer)
    }
  }

  @Test(
    "A reinstalled app that buys before it restores joins its earlier customer, too", arguments: LedgerEngine.allCases)
  func joinByBuying(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let first = try await fixture.installation(on: device)
    let (book, coins) = (TestLedger.purchase(TestLedger.book, 1), TestLedger.purchase(TestLedger.coins, 2))
    _ = try await fixture.redeem(book, issuedFor: device, for: first)
    let newcomer = try await fixture.installation(on: device)

    let redemption = try await fixture.ledger.redeem(
      TestLedger.proof([book, coins], issuedFor: device),
      .purchases([.init(transactionID: coins.transactionID)]), for: newcomer)

    #expect(redemption.customer == first.customer)
    #expect(try await fixture.balance(of: first.customer) == 5)
    #expect(try await fixture.owned(by: first.customer) == [TestLedger.book])
  }

  @Test(
    "Durable purchases are transferred to an installation that owns something already; the old entitlement and links end",
    arguments: LedgerEngine.allCases)
  func transfer(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (first, second) = (try await fixture.installation(on: device), try await fixture.installation(on: device))
    let book = TestLedger.purchase(TestLedger.book, 1)
    let goods = try #require(try await fixture.redeem(book, issuedFor: device, for: first).given)
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 2), issuedFor: device, for: second)

    let moved = try #require(try await fixture.redeem(book, issuedFor: device, for: second).given)

    #expect(moved.claimed == goods.claimed)
    #expect(moved.delivery != goods.delivery)
    #expect(try await fixture.owned(by: first.customer) == [])
    #expect(try await fixture.owned(by: second.customer) == [TestLedger.book])
    await #expect(throws: LedgerError.deliveryEnded) {
      try await fixture.ledger.delivery(try #require(goods.delivery))
    }
    let transfers = try await fixture.database.read { transaction in
      try transaction.rows("SELECT from_customer, to_customer FROM claim_transfer").map {
        [try $0.customer("from_customer"), try $0.customer("to_customer")]
      }
    }
    #expect(transfers == [[first.customer, second.customer]])
  }

  @Test("A consumable is never transferred", arguments: LedgerEngine.allCases)
  func consumableStays(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (first, second) = (try await fixture.installation(on: device), try await fixture.installation(on: device))
    let coins = TestLedger.purchase(TestLedger.coins, 1)
    _ = try await fixture.redeem(coins, issuedFor: device, for: first)
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 2), issuedFor: device, for: second)

    #expect(try await fixture.redeem(coins, issuedFor: device, for: second).refusal == .claimedByAnotherCustomer)
    #expect(try await fixture.balance(of: first.customer) == 5)
    #expect(try await fixture.balance(of: second.customer) == 5)
    try await fixture.checkBalances()
  }

  @Test(
    "G6 a purchase that names another customer is refused, also if it is unclaimed",
    arguments: LedgerEngine.allCases)
  func namesAnother(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    let coins = TestLedger.purchase(TestLedger.coins, 1, for: ada.customer)

    #expect(try await fixture.redeem(coins, issuedFor: device, for: ben).refusal == .namesAnotherCustomer)
    #expect(try await fixture.redeem(coins, for: ada).given != nil)
    #expect(try await fixture.redeem(coins, for: ben).refusal == .namesAnotherCustomer)
  }

  @Test(
    "A purchase that names the previous installation is not lost: the customer with a proof for the device gets it",
    arguments: LedgerEngine.allCases)
  func namesEarlierInstallation(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (first, second) = (try await fixture.installation(on: device), try await fixture.installation(on: device))
    let coins = TestLedger.purchase(TestLedger.coins, 1, for: first.customer)

    #expect(try await fixture.redeem(coins, for: second).refusal == .namesAnotherCustomer)
    #expect(try await fixture.redeem(coins, issuedFor: device, for: second).given != nil)
    #expect(try await fixture.balance(of: second.customer) == 5)
  }

  @Test(
    "G6 naming another customer in one's own purchase gives no access to their data", arguments: LedgerEngine.allCases)
  func takeover(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let victim = try await fixture.installation(on: UUID())
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), for: victim)
    let token = try await fixture.token(on: device)
    let attacker = try await fixture.ledger.authenticate(token)
    let coins = TestLedger.purchase(TestLedger.coins, 2, for: victim.customer)

    _ = try await fixture.redeem(coins, issuedFor: device, for: attacker)

    #expect(try await fixture.ledger.authenticate(token).customer == attacker.customer)
    #expect(try await fixture.owned(by: attacker.customer) == [])
    #expect(try await fixture.balance(of: victim.customer) == 0)
  }

  @Test(
    "A legacy receipt, which contains the device in plain text, transfers nothing",
    arguments: LedgerEngine.allCases)
  func legacyReceiptProvesNoDevice(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (victim, attacker) = (try await fixture.installation(on: device), try await fixture.installation(on: device))
    let book = TestLedger.purchase(TestLedger.book, 1)
    _ = try await fixture.redeem(book, issuedFor: device, for: victim)
    let legacy = TestLedger.proof([book], issuedFor: device, as: .legacyReceipt(Data("legacy".utf8)))

    let redemption = try await fixture.ledger.redeem(legacy, .everythingOwned, for: attacker)

    #expect(redemption.customer == attacker.customer)
    #expect(redemption.purchases.first?.outcome.refusal == .claimedByAnotherCustomer)
  }

  @Test("A purchase that names its owner moves with them to their next installation", arguments: LedgerEngine.allCases)
  func transferOfWhatNamesItsOwner(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (first, second) = (try await fixture.installation(on: device), try await fixture.installation(on: device))
    let book = TestLedger.purchase(TestLedger.book, 1, for: first.customer)
    _ = try await fixture.redeem(book, issuedFor: device, for: first)
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 2), issuedFor: device, for: second)

    #expect(try await fixture.redeem(book, issuedFor: device, for: second).given != nil)
    #expect(try await fixture.owned(by: second.customer) == [TestLedger.book])
  }

  @Test("A purchase that an operator revoked is not transferred", arguments: LedgerEngine.allCases)
  func revokedStays(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (first, second) = (try await fixture.installation(on: device), try await fixture.installation(on: device))
    let book = TestLedger.purchase(TestLedger.book, 1)
    _ = try await fixture.redeem(book, issuedFor: device, for: first)
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 2), issuedFor: device, for: second)
    try await fixture.ledger.revoke(
      TestLedger.book, source: "1", from: first.customer, app: TestLedger.app, reason: "fraud", by: "olga")

    #expect(try await fixture.redeem(book, issuedFor: device, for: second).refusal == .revoked)
    #expect(try await fixture.owned(by: second.customer) == [])
  }

  @Test("An app that uses appAccountToken for another purpose can configure that", arguments: LedgerEngine.allCases)
  func otherTokens(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, LedgerSettings(accountTokensNameCustomers: false))
    let ada = try await fixture.identified("ada")
    let coins = TestLedger.purchase(TestLedger.coins, 1, for: CustomerID(rawValue: device))

    #expect(try await fixture.redeem(coins, for: ada).given != nil)
  }

  @Test(
    "Consumables that no customer has claimed are found by both ids by which they can be requested",
    arguments: LedgerEngine.allCases)
  func unclaimed(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let claimed = TestLedger.purchase(TestLedger.coins, 1)
    _ = try await fixture.redeem(claimed, for: try await fixture.identified("ada"))
    let proof = TestLedger.proof([
      claimed, TestLedger.purchase(TestLedger.coins, 8, original: 7), TestLedger.purchase(TestLedger.book, 3),
    ])
    for (requested, expected) in [([1, 3, 7], [8]), ([8], [8]), ([1, 3, 9], [])] as [([UInt64], [UInt64])] {
      let found = try await fixture.ledger.unclaimedConsumables(
        Set(requested.map { TransactionID($0) }), in: proof)
      #expect(found == Set(expected.map { TransactionID($0) }))
    }
  }

  @Test(
    "A pending payment that names a customer who joined another one belongs to the other one",
    arguments: LedgerEngine.allCases)
  func namesJoined(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let first = try await fixture.installation(on: device)
    let book = TestLedger.purchase(TestLedger.book, 1)
    _ = try await fixture.redeem(book, issuedFor: device, for: first)
    let newToken = try await fixture.token(on: device)
    let newcomer = try await fixture.ledger.authenticate(newToken)
    let coins = TestLedger.purchase(TestLedger.coins, 2, for: newcomer.customer)
    _ = try await fixture.redeem(book, issuedFor: device, for: newcomer)

    // The proof names no device. The `appAccountToken` of the purchase, which names the joined customer, is enough.
    let outcome = try await fixture.redeem(coins, for: try await fixture.ledger.authenticate(newToken))

    #expect(outcome.given != nil)
    #expect(try await fixture.balance(of: first.customer) == 5)
    let ben = try await fixture.identified("ben")
    let more = TestLedger.purchase(TestLedger.coins, 3, for: newcomer.customer)
    #expect(try await fixture.redeem(more, for: ben).refusal == .namesAnotherCustomer)
    #expect(try await fixture.ledger.exported(newcomer.customer).customer == first.customer)
    await #expect(throws: LedgerError.unknownCustomer(newcomer.customer)) {
      try await fixture.ledger.erase(newcomer.customer)
    }
  }

  @Test(
    "Restoring the claims of forty earlier installations is one redemption", arguments: LedgerEngine.allCases
  )
  func manyOwners(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let books = (1...40).map { TestLedger.purchase(TestLedger.book, $0) }
    for book in books {
      let installation = try await fixture.installation(on: device)
      _ = try await fixture.redeem(book, issuedFor: device, for: installation)
    }
    let last = try await fixture.installation(on: device)
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 50), issuedFor: device, for: last)

    let redemption = try await fixture.ledger.redeem(
      TestLedger.proof(books, issuedFor: device), .everythingOwned, for: last)

    #expect(redemption.purchases.allSatisfy { $0.outcome.given != nil })
    #expect(try await fixture.owned(by: last.customer).count == 40)
  }

  @Test(
    "An installation does not join a customer who has only shown a copy of a receipt; durable purchases move to its device",
    arguments: LedgerEngine.allCases)
  func copiedReceipt(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let mallory = try await fixture.installation(on: UUID())
    let book = TestLedger.purchase(TestLedger.book, 1)
    _ = try await fixture.redeem(book, issuedFor: device, for: mallory)
    let victim = try await fixture.installation(on: device)

    let redemption = try await fixture.ledger.redeem(
      TestLedger.proof([book], issuedFor: device), .everythingOwned, for: victim)

    #expect(redemption.customer == victim.customer)
    #expect(try await fixture.owned(by: victim.customer) == [TestLedger.book])
    #expect(try await fixture.owned(by: mallory.customer) == [])
  }

  @Test(
    "The next installation joins a customer who later shows the device's own proof", arguments: LedgerEngine.allCases)
  func deviceShownLater(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let first = try await fixture.installation(on: device)
    let book = TestLedger.purchase(TestLedger.book, 1)
    _ = try await fixture.redeem(book, for: first)
    _ = try await fixture.redeem(book, issuedFor: device, for: first)
    let next = try await fixture.installation(on: device)

    let redemption = try await fixture.ledger.redeem(
      TestLedger.proof([book], issuedFor: device), .everythingOwned, for: next)

    #expect(redemption.customer == first.customer)
  }

  @Test(
    "A purchase that an operator revoked from one customer is not restored by moving it",
    arguments: LedgerEngine.allCases)
  func movesToWhoLostIt(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (first, second) = (try await fixture.installation(on: device), try await fixture.installation(on: device))
    let book = TestLedger.purchase(TestLedger.book, 1)
    _ = try await fixture.redeem(book, issuedFor: device, for: first)
    func move(to customer: CustomerID) async throws {
      try await fixture.ledger.move(
        TransactionID(1), in: .production, app: TestLedger.app, to: customer, reason: "r", by: "olga")
    }
    try await fixture.ledger.revoke(
      TestLedger.book, source: "1", from: first.customer, app: TestLedger.app, reason: "fraud", by: "olga")
    try await move(to: second.customer)

    #expect(try await fixture.redeem(book, issuedFor: device, for: first).refusal == .revoked)
    await #expect(throws: LedgerError.self) { try await move(to: first.customer) }
    #expect(try await fixture.owned(by: second.customer) == [TestLedger.book])
  }

  @Test("A purchase that is revoked during a transfer ends for its current customer", arguments: LedgerEngine.allCases)
  func refundedWhileMoving(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (first, second) = (try await fixture.installation(on: device), try await fixture.installation(on: device))
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), issuedFor: device, for: first)
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 2), issuedFor: device, for: second)

    let refunded = TestLedger.purchase(TestLedger.book, 1, refunded: 100_000)
    let outcome = try await fixture.redeem(refunded, stated: 9, issuedFor: device, for: second)

    #expect(outcome.refusal == .refunded(TestLedger.start))
    #expect(
      try await fixture.ledger.entitlements(of: first.customer, app: TestLedger.app).first?.endReason == .refunded)
    #expect(try await fixture.owned(by: second.customer) == [])
  }
}
