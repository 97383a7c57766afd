import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(30))) struct RedemptionTests {
  @Test(
    "F3 a consumable grants its credits, times the quantity, once; a repeated request has the same answer",
    arguments: LedgerEngine.allCases)
  func consumable(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    let purchase = TestLedger.purchase(TestLedger.coins, 1, quantity: 3)

    let first = try await fixture.redeem(purchase, for: ada)
    fixture.clock.advance(seconds: 60)
    let second = try await fixture.redeem(purchase, stated: 60, for: ada)

    #expect(first.given?.credits == LedgerProduct.Credits(unit: TestLedger.coin, amount: 15))
    #expect(first.given?.isNew == true)
    #expect(second == first)
    #expect(second.given?.isNew == false)
    #expect(try await fixture.balance(of: ada.customer) == 15)
    try await fixture.checkBalances()
  }

  @Test(
    "H2 a durable purchase is one claim under its original transaction, whatever its transaction id",
    arguments: LedgerEngine.allCases)
  func nonConsumable(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")

    let bought = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), for: ada)
    let restored = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 7, original: 1), for: ada)

    #expect(bought.given?.claim == TransactionID(1))
    #expect(restored == bought)
    #expect(bought.given?.entitlement?.origin == .purchased)
    #expect(bought.given?.delivery != nil)
    #expect(try await fixture.owned(by: ada.customer) == [TestLedger.book])
  }

  @Test("A purchase that is not requested is not claimed", arguments: LedgerEngine.allCases)
  func onlyWhatIsNamed(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    let purchases = [TestLedger.purchase(TestLedger.coins, 1), TestLedger.purchase(TestLedger.coins, 2)]

    let first = try await fixture.ledger.redeem(
      TestLedger.proof(purchases), .purchases([.init(transactionID: TransactionID(1))]), for: ada)
    let second = try await fixture.redeem(purchases[1], for: ben)

    #expect(first.purchases.map(\.transactionID) == [TransactionID(1)])
    #expect(second.given != nil)
    #expect(try await fixture.balance(of: ada.customer) == 5)
    #expect(try await fixture.balance(of: ben.customer) == 5)
  }

  @Test(
    "G6 each purchase that cannot be redeemed is refused with its own reason, and the others are granted",
    arguments: LedgerEngine.allCases)
  func refusals(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    var wrongType = TestLedger.purchase(TestLedger.coins, 4)
    wrongType.type = .nonConsumable
    let proof = TestLedger.proof([
      TestLedger.purchase(TestLedger.coins, 1), TestLedger.purchase("com.example.reader.unheard", 2),
      TestLedger.purchase(TestLedger.book, 3), wrongType,
      TestLedger.purchase(TestLedger.book, 5, refunded: 100_000),
    ])

    let redemption = try await fixture.ledger.redeem(
      proof,
      .purchases([
        .init(transactionID: TransactionID(9)), .init(transactionID: TransactionID(2)),
        .init(transactionID: TransactionID(3), productID: TestLedger.coins), .init(transactionID: TransactionID(4)),
        .init(transactionID: TransactionID(5)), .init(transactionID: TransactionID(1)),
      ]), for: ada)

    #expect(
      redemption.purchases.map(\.outcome.refusal) == [
        .notInProof, .unknownProduct("com.example.reader.unheard"), .otherProduct(TestLedger.book),
        .otherType(.nonConsumable), .refunded(TestLedger.start), nil,
      ])
    #expect(try await fixture.balance(of: ada.customer) == 5)
    #expect(try await fixture.owned(by: ada.customer) == [])
  }

  @Test("A product that is published later can then be redeemed", arguments: LedgerEngine.allCases)
  func publishedLater(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    let purchase = TestLedger.purchase("com.example.reader.atlas", 1)

    let before = try await fixture.redeem(purchase, for: ada)
    try await fixture.ledger.publish(
      LedgerProduct(id: purchase.productID, type: .nonConsumable), app: TestLedger.app, by: "olga")
    let after = try await fixture.redeem(purchase, for: ada)

    #expect(before.refusal == .unknownProduct(purchase.productID))
    #expect(after.given?.entitlement?.product == purchase.productID)
  }

  @Test("Restoring grants all durable purchases, once, and no consumable", arguments: LedgerEngine.allCases)
  func restore(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    let proof = TestLedger.proof([
      TestLedger.purchase(TestLedger.coins, 1), TestLedger.purchase(TestLedger.book, 2),
      TestLedger.purchase(TestLedger.magazine, 4, original: 3, refunded: 100_000),
      TestLedger.purchase(TestLedger.magazine, 3), TestLedger.purchase(TestLedger.book, 5, original: 2),
    ])

    let redemption = try await fixture.ledger.redeem(proof, .everythingOwned, for: ada)

    #expect(redemption.purchases.map(\.transactionID) == [TransactionID(5), TransactionID(3)])
    #expect(redemption.purchases.map(\.outcome.given?.claim) == [TransactionID(2), TransactionID(3)])
    #expect(try await fixture.balance(of: ada.customer) == 0)
    #expect(try await fixture.owned(by: ada.customer) == [TestLedger.book, TestLedger.magazine])
  }

  @Test("The same transaction id in another environment is another purchase", arguments: LedgerEngine.allCases)
  func environments(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    let purchase = TestLedger.purchase(TestLedger.coins, 1)
    let request = RedemptionRequest.purchases([.init(transactionID: TransactionID(1))])

    _ = try await fixture.ledger.redeem(TestLedger.proof([purchase]), request, for: ada)
    let sandbox = try await fixture.ledger.redeem(TestLedger.proof([purchase], in: .sandbox), request, for: ben)

    #expect(sandbox.purchases.first?.outcome.given?.isNew == true)
  }

  @Test(
    "Sandbox purchases are granted only to listed customers, by id or by subject", arguments: LedgerEngine.allCases)
  func sandboxCustomers(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, LedgerSettings(sandboxCustomers: ["ada"]))
    let ben = try await fixture.installation()
    let listed = try await Ledger(
      database: fixture.database, anchors: .apple,
      apps: [TestLedger.app: LedgerSettings(sandboxCustomers: [.init(ben.customer.description)])])
    let (ada, coins) = (try await fixture.identified("ada"), TestLedger.purchase(TestLedger.coins, 1))
    func redeem(_ ledger: Ledger, _ claimant: Claimant) async throws -> RedeemedPurchase.Outcome? {
      try await ledger.redeem(
        TestLedger.proof([coins], in: .sandbox), .purchases([.init(transactionID: coins.transactionID)]), for: claimant
      ).purchases.first?.outcome
    }

    #expect(try await redeem(fixture.ledger, ben)?.refusal == .environmentNotAllowed(.sandbox))
    #expect(try await redeem(listed, ada)?.refusal == .environmentNotAllowed(.sandbox))
    #expect(try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 2), for: ben).given != nil)
    #expect(try await redeem(fixture.ledger, ada)?.given != nil)
    // The settings can also list a customer by id.
    let other = TestLedger.purchase(TestLedger.coins, 3)
    let byID = try await listed.redeem(
      TestLedger.proof([other], in: .sandbox), .purchases([.init(transactionID: other.transactionID)]), for: ben)
    #expect(byID.purchases.first?.outcome.given != nil)
  }

  @Test(
    "A subject that is only canonically equivalent to a listed one is another customer's: no sandbox purchase is granted",
    arguments: LedgerEngine.allCases)
  func equivalentSandboxCustomer(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, LedgerSettings(sandboxCustomers: ["ren\u{E9}"]))
    let coins = TestLedger.purchase(TestLedger.coins, 1)
    func redeem(_ subject: String) async throws -> RedeemedPurchase.Outcome? {
      try await fixture.ledger.redeem(
        TestLedger.proof([coins], in: .sandbox), .purchases([.init(transactionID: coins.transactionID)]),
        for: try await fixture.identified(subject)
      ).purchases.first?.outcome
    }
    #expect(try await redeem("rene\u{301}")?.refusal == .environmentNotAllowed(.sandbox))
    #expect(try await redeem("ren\u{E9}")?.given != nil)
  }

  @Test("A quantity that would overflow is refused, and nothing is claimed", arguments: LedgerEngine.allCases)
  func hugeQuantity(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")

    await #expect(throws: LedgerError.amountOutOfRange(Int64.max)) {
      try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1, quantity: .max), for: ada)
    }
    #expect(try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: ada).given?.isNew == true)
  }

  @Test("A proof of another app than the token's is refused", arguments: LedgerEngine.allCases)
  func otherApp(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let someone = try await fixture.installation()
    let foreign = Claimant(customer: someone.customer, isIdentified: false, app: "com.example.other")

    await #expect(throws: LedgerError.self) {
      try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: foreign)
    }
  }
}
