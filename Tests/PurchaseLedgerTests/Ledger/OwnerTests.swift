import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Tests each row of the table of Documentation/purchase-ledger.md, "A claim".
@Suite(.timeLimit(.minutes(10))) struct OwnerTests {
  let device = UUID(uuidString: "10000000-0000-4000-8000-000000000001")!

  @Test("G6 a second identified customer is refused, and nothing moves", arguments: LedgerEngine.allCases)
  func identified(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (ada, ben) = (try await desk.identified("ada"), try await desk.identified("ben"))
    let book = LedgerDesk.purchase(LedgerDesk.book, 1)
    _ = try await desk.redeem(book, for: ada)

    let second = try await desk.redeem(book, issuedFor: device, for: ben)

    #expect(second.refusal == .claimedByAnotherCustomer)
    #expect(try await desk.owned(by: ada.customer) == [LedgerDesk.book])
    #expect(try await desk.owned(by: ben.customer) == [])
  }

  @Test("G6 someone else's receipt brings an anonymous customer nothing", arguments: LedgerEngine.allCases)
  func withoutDeviceProof(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let first = try await desk.installation(on: device)
    let elsewhere = try await desk.installation(on: UUID(uuidString: "20000000-0000-4000-8000-000000000002")!)
    let nowhere = try await desk.installation()
    let book = LedgerDesk.purchase(LedgerDesk.book, 1)
    _ = try await desk.redeem(book, issuedFor: device, for: first)

    #expect(try await desk.redeem(book, issuedFor: device, for: elsewhere).refusal == .claimedByAnotherCustomer)
    #expect(try await desk.redeem(book, issuedFor: device, for: nowhere).refusal == .claimedByAnotherCustomer)
    #expect(try await desk.owned(by: first.customer) == [LedgerDesk.book])
  }

  @Test(
    "An identified customer's purchase does not go to an installation, nor the other way round",
    arguments: LedgerEngine.allCases)
  func mixed(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (ada, phone) = (try await desk.identified("ada"), try await desk.installation(on: device))
    let (first, second) = (LedgerDesk.purchase(LedgerDesk.book, 1), LedgerDesk.purchase(LedgerDesk.magazine, 2))
    _ = try await desk.redeem(first, issuedFor: device, for: ada)

    #expect(try await desk.redeem(first, issuedFor: device, for: phone).refusal == .claimedByAnotherCustomer)
    _ = try await desk.redeem(second, issuedFor: device, for: phone)
    #expect(try await desk.redeem(second, issuedFor: device, for: ada).refusal == .claimedByAnotherCustomer)
  }

  @Test("A reinstalled app joins the customer it was, and has everything again", arguments: LedgerEngine.allCases)
  func join(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let first = try await desk.installation(on: device)
    let (book, coins) = (LedgerDesk.purchase(LedgerDesk.book, 1), LedgerDesk.purchase(LedgerDesk.coins, 2))
    _ = try await desk.redeem(coins, issuedFor: device, for: first)
    _ = try await desk.redeem(book, issuedFor: device, for: first)
    let newToken = try await desk.token(on: device)
    let newcomer = try await desk.ledger.authenticate(newToken)

    // The magazine was never claimed before. The book belongs to the earlier customer.
    let redemption = try await desk.ledger.redeem(
      LedgerDesk.proof([LedgerDesk.purchase(LedgerDesk.magazine, 3), book], issuedFor: device), .everythingOwned,
      for: newcomer)

    #expect(redemption.customer == first.customer)
    #expect(redemption.purchases.allSatisfy { $0.outcome.given != nil })
    #expect(try await desk.ledger.authenticate(newToken).customer == first.customer)
    #expect(try await desk.balance(of: first.customer) == 5)
    #expect(try await desk.owned(by: first.customer) == [LedgerDesk.book, LedgerDesk.magazine])
    // The joined customer no longer exists, so a claimant that still names it is refused.
    await #expect(throws: LedgerError.unknownCustomer(newcomer.customer)) {
      try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 4), for: newcomer)
    }
  }

  @Test(
    "A reinstalled app that buys before it restores is the customer it was, too", arguments: LedgerEngine.allCases)
  func joinByBuying(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let first = try await desk.installation(on: device)
    let (book, coins) = (LedgerDesk.purchase(LedgerDesk.book, 1), LedgerDesk.purchase(LedgerDesk.coins, 2))
    _ = try await desk.redeem(book, issuedFor: device, for: first)
    let newcomer = try await desk.installation(on: device)

    let redemption = try await desk.ledger.redeem(
      LedgerDesk.proof([book, coins], issuedFor: device),
      .purchases([.init(transactionID: coins.transactionID)]), for: newcomer)

    #expect(redemption.customer == first.customer)
    #expect(try await desk.balance(of: first.customer) == 5)
    #expect(try await desk.owned(by: first.customer) == [LedgerDesk.book])
  }

  @Test(
    "What lasts moves to an installation that has something already; the old one and its links end",
    arguments: LedgerEngine.allCases)
  func transfer(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (first, second) = (try await desk.installation(on: device), try await desk.installation(on: device))
    let book = LedgerDesk.purchase(LedgerDesk.book, 1)
    let goods = try #require(try await desk.redeem(book, issuedFor: device, for: first).given)
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 2), issuedFor: device, for: second)

    let moved = try #require(try await desk.redeem(book, issuedFor: device, for: second).given)

    #expect(moved.claimed == goods.claimed)
    #expect(moved.delivery != goods.delivery)
    #expect(try await desk.owned(by: first.customer) == [])
    #expect(try await desk.owned(by: second.customer) == [LedgerDesk.book])
    await #expect(throws: LedgerError.deliveryEnded) {
      try await desk.ledger.delivery(try #require(goods.delivery))
    }
    let transfers = try await desk.database.read { transaction in
      try transaction.rows("SELECT from_customer, to_customer FROM claim_transfer").map {
        [try $0.customer("from_customer"), try $0.customer("to_customer")]
      }
    }
    #expect(transfers == [[first.customer, second.customer]])
  }

  @Test("A consumable never moves", arguments: LedgerEngine.allCases)
  func consumableStays(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (first, second) = (try await desk.installation(on: device), try await desk.installation(on: device))
    let coins = LedgerDesk.purchase(LedgerDesk.coins, 1)
    _ = try await desk.redeem(coins, issuedFor: device, for: first)
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 2), issuedFor: device, for: second)

    #expect(try await desk.redeem(coins, issuedFor: device, for: second).refusal == .claimedByAnotherCustomer)
    #expect(try await desk.balance(of: first.customer) == 5)
    #expect(try await desk.balance(of: second.customer) == 5)
    try await desk.checkBooks()
  }

  @Test(
    "G6 a purchase that names another customer is refused, also where nobody has claimed it",
    arguments: LedgerEngine.allCases)
  func namesAnother(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (ada, ben) = (try await desk.identified("ada"), try await desk.identified("ben"))
    let coins = LedgerDesk.purchase(LedgerDesk.coins, 1, for: ada.customer)

    #expect(try await desk.redeem(coins, issuedFor: device, for: ben).refusal == .namesAnotherCustomer)
    #expect(try await desk.redeem(coins, for: ada).given != nil)
    #expect(try await desk.redeem(coins, for: ben).refusal == .namesAnotherCustomer)
  }

  @Test(
    "A purchase made under the name of the installation before this one is not lost: whoever proves the device has it",
    arguments: LedgerEngine.allCases)
  func namesEarlierInstallation(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (first, second) = (try await desk.installation(on: device), try await desk.installation(on: device))
    let coins = LedgerDesk.purchase(LedgerDesk.coins, 1, for: first.customer)

    #expect(try await desk.redeem(coins, for: second).refusal == .namesAnotherCustomer)
    #expect(try await desk.redeem(coins, issuedFor: device, for: second).given != nil)
    #expect(try await desk.balance(of: second.customer) == 5)
  }

  @Test("G6 naming somebody in a purchase of one's own opens nothing of theirs", arguments: LedgerEngine.allCases)
  func takeover(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let victim = try await desk.installation(on: UUID())
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), for: victim)
    let token = try await desk.token(on: device)
    let attacker = try await desk.ledger.authenticate(token)
    let coins = LedgerDesk.purchase(LedgerDesk.coins, 2, for: victim.customer)

    _ = try await desk.redeem(coins, issuedFor: device, for: attacker)

    #expect(try await desk.ledger.authenticate(token).customer == attacker.customer)
    #expect(try await desk.owned(by: attacker.customer) == [])
    #expect(try await desk.balance(of: victim.customer) == 0)
  }

  @Test(
    "A legacy receipt, in which anybody can read the device, brings nothing of its owner's",
    arguments: LedgerEngine.allCases)
  func legacyReceiptProvesNoDevice(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (victim, attacker) = (try await desk.installation(on: device), try await desk.installation(on: device))
    let book = LedgerDesk.purchase(LedgerDesk.book, 1)
    _ = try await desk.redeem(book, issuedFor: device, for: victim)
    let legacy = LedgerDesk.proof([book], issuedFor: device, as: .legacyReceipt(Data("legacy".utf8)))

    let redemption = try await desk.ledger.redeem(legacy, .everythingOwned, for: attacker)

    #expect(redemption.customer == attacker.customer)
    #expect(redemption.purchases.first?.outcome.refusal == .claimedByAnotherCustomer)
  }

  @Test("What names its owner moves with them to their next installation", arguments: LedgerEngine.allCases)
  func transferOfWhatNamesItsOwner(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (first, second) = (try await desk.installation(on: device), try await desk.installation(on: device))
    let book = LedgerDesk.purchase(LedgerDesk.book, 1, for: first.customer)
    _ = try await desk.redeem(book, issuedFor: device, for: first)
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 2), issuedFor: device, for: second)

    #expect(try await desk.redeem(book, issuedFor: device, for: second).given != nil)
    #expect(try await desk.owned(by: second.customer) == [LedgerDesk.book])
  }

  @Test("What an operator took back does not move", arguments: LedgerEngine.allCases)
  func revokedStays(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (first, second) = (try await desk.installation(on: device), try await desk.installation(on: device))
    let book = LedgerDesk.purchase(LedgerDesk.book, 1)
    _ = try await desk.redeem(book, issuedFor: device, for: first)
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 2), issuedFor: device, for: second)
    try await desk.ledger.revoke(
      LedgerDesk.book, source: "1", from: first.customer, app: LedgerDesk.app, reason: "fraud", by: "olga")

    #expect(try await desk.redeem(book, issuedFor: device, for: second).refusal == .revoked)
    #expect(try await desk.owned(by: second.customer) == [])
  }

  @Test("An app that puts something else in appAccountToken says so", arguments: LedgerEngine.allCases)
  func otherTokens(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine, LedgerSettings(accountTokensNameCustomers: false))
    let ada = try await desk.identified("ada")
    let coins = LedgerDesk.purchase(LedgerDesk.coins, 1, for: CustomerID(rawValue: device))

    #expect(try await desk.redeem(coins, for: ada).given != nil)
  }

  @Test(
    "A payment under way in the name of a customer who has joined another is that one's",
    arguments: LedgerEngine.allCases)
  func namesJoined(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let first = try await desk.installation(on: device)
    let book = LedgerDesk.purchase(LedgerDesk.book, 1)
    _ = try await desk.redeem(book, issuedFor: device, for: first)
    let newToken = try await desk.token(on: device)
    let newcomer = try await desk.ledger.authenticate(newToken)
    let coins = LedgerDesk.purchase(LedgerDesk.coins, 2, for: newcomer.customer)
    _ = try await desk.redeem(book, issuedFor: device, for: newcomer)

    // The proof names no device. The `appAccountToken` of the purchase, which names the joined customer, is enough.
    let outcome = try await desk.redeem(coins, for: try await desk.ledger.authenticate(newToken))

    #expect(outcome.given != nil)
    #expect(try await desk.balance(of: first.customer) == 5)
    let ben = try await desk.identified("ben")
    let more = LedgerDesk.purchase(LedgerDesk.coins, 3, for: newcomer.customer)
    #expect(try await desk.redeem(more, for: ben).refusal == .namesAnotherCustomer)
    #expect(try await desk.ledger.export(newcomer.customer).customer == first.customer)
    await #expect(throws: LedgerError.unknownCustomer(newcomer.customer)) {
      try await desk.ledger.erase(newcomer.customer)
    }
  }

  @Test(
    "Restoring what forty installations before this one had claimed is one redemption", arguments: LedgerEngine.allCases
  )
  func manyOwners(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let books = (1...40).map { LedgerDesk.purchase(LedgerDesk.book, $0) }
    for book in books {
      let installation = try await desk.installation(on: device)
      _ = try await desk.redeem(book, issuedFor: device, for: installation)
    }
    let last = try await desk.installation(on: device)
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 50), issuedFor: device, for: last)

    let redemption = try await desk.ledger.redeem(
      LedgerDesk.proof(books, issuedFor: device), .everythingOwned, for: last)

    #expect(redemption.purchases.allSatisfy { $0.outcome.given != nil })
    #expect(try await desk.owned(by: last.customer).count == 40)
  }

  @Test(
    "Whoever has only shown a copy of a receipt is not who an installation joins; what lasts moves to its device",
    arguments: LedgerEngine.allCases)
  func copiedReceipt(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let mallory = try await desk.installation(on: UUID())
    let book = LedgerDesk.purchase(LedgerDesk.book, 1)
    _ = try await desk.redeem(book, issuedFor: device, for: mallory)
    let victim = try await desk.installation(on: device)

    let redemption = try await desk.ledger.redeem(
      LedgerDesk.proof([book], issuedFor: device), .everythingOwned, for: victim)

    #expect(redemption.customer == victim.customer)
    #expect(try await desk.owned(by: victim.customer) == [LedgerDesk.book])
    #expect(try await desk.owned(by: mallory.customer) == [])
  }

  @Test("Who shows the device's own proof later is joined by the next installation", arguments: LedgerEngine.allCases)
  func deviceShownLater(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let first = try await desk.installation(on: device)
    let book = LedgerDesk.purchase(LedgerDesk.book, 1)
    _ = try await desk.redeem(book, for: first)
    _ = try await desk.redeem(book, issuedFor: device, for: first)
    let next = try await desk.installation(on: device)

    let redemption = try await desk.ledger.redeem(
      LedgerDesk.proof([book], issuedFor: device), .everythingOwned, for: next)

    #expect(redemption.customer == first.customer)
  }

  @Test(
    "What an operator took back from one customer does not come back to them by moving",
    arguments: LedgerEngine.allCases)
  func movesToWhoLostIt(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (first, second) = (try await desk.installation(on: device), try await desk.installation(on: device))
    let book = LedgerDesk.purchase(LedgerDesk.book, 1)
    _ = try await desk.redeem(book, issuedFor: device, for: first)
    func move(to customer: CustomerID) async throws {
      try await desk.ledger.move(
        TransactionID(1), in: .production, app: LedgerDesk.app, to: customer, reason: "r", by: "olga")
    }
    try await desk.ledger.revoke(
      LedgerDesk.book, source: "1", from: first.customer, app: LedgerDesk.app, reason: "fraud", by: "olga")
    try await move(to: second.customer)

    #expect(try await desk.redeem(book, issuedFor: device, for: first).refusal == .revoked)
    await #expect(throws: LedgerError.self) { try await move(to: first.customer) }
    #expect(try await desk.owned(by: second.customer) == [LedgerDesk.book])
  }

  @Test("What is taken back while it would move ends where it is", arguments: LedgerEngine.allCases)
  func refundedWhileMoving(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (first, second) = (try await desk.installation(on: device), try await desk.installation(on: device))
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), issuedFor: device, for: first)
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 2), issuedFor: device, for: second)

    let refunded = LedgerDesk.purchase(LedgerDesk.book, 1, refunded: 100_000)
    let outcome = try await desk.redeem(refunded, stated: 9, issuedFor: device, for: second)

    #expect(outcome.refusal == .refunded(LedgerDesk.start))
    #expect(try await desk.ledger.entitlements(of: first.customer, app: LedgerDesk.app).first?.endReason == .refunded)
    #expect(try await desk.owned(by: second.customer) == [])
  }
}
