import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(10))) struct RedemptionTests {
  @Test(
    "F3 a consumable gives its credits, times the quantity, once; asked again, it answers the same",
    arguments: LedgerEngine.allCases)
  func consumable(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada")
    let purchase = LedgerDesk.purchase(LedgerDesk.coins, 1, quantity: 3)

    let first = try await desk.redeem(purchase, for: ada)
    desk.clock.advance(seconds: 60)
    let second = try await desk.redeem(purchase, stated: 60, for: ada)

    #expect(first.given?.credits == LedgerProduct.Credits(unit: LedgerDesk.coin, amount: 15))
    #expect(first.given?.isNew == true)
    #expect(second == first)
    #expect(second.given?.isNew == false)
    #expect(try await desk.balance(of: ada.customer) == 15)
    try await desk.checkBooks()
  }

  @Test(
    "H2 what lasts is one claim under its original transaction, whatever id it comes with",
    arguments: LedgerEngine.allCases)
  func nonConsumable(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada")

    let bought = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), for: ada)
    let restored = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 7, original: 1), for: ada)

    #expect(bought.given?.claim == TransactionID(1))
    #expect(restored == bought)
    #expect(bought.given?.entitlement?.origin == .purchased)
    #expect(bought.given?.delivery != nil)
    #expect(try await desk.owned(by: ada.customer) == [LedgerDesk.book])
  }

  @Test("What is not named is not claimed", arguments: LedgerEngine.allCases)
  func onlyWhatIsNamed(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (ada, ben) = (try await desk.identified("ada"), try await desk.identified("ben"))
    let purchases = [LedgerDesk.purchase(LedgerDesk.coins, 1), LedgerDesk.purchase(LedgerDesk.coins, 2)]

    let first = try await desk.ledger.redeem(
      LedgerDesk.proof(purchases), .purchases([.init(transactionID: TransactionID(1))]), for: ada)
    let second = try await desk.redeem(purchases[1], for: ben)

    #expect(first.purchases.map(\.transactionID) == [TransactionID(1)])
    #expect(second.given != nil)
    #expect(try await desk.balance(of: ada.customer) == 5)
    #expect(try await desk.balance(of: ben.customer) == 5)
  }

  @Test(
    "G6 each purchase that cannot be given is refused with its own reason, and the others are given",
    arguments: LedgerEngine.allCases)
  func refusals(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada")
    var wrongType = LedgerDesk.purchase(LedgerDesk.coins, 4)
    wrongType.type = .nonConsumable
    let proof = LedgerDesk.proof([
      LedgerDesk.purchase(LedgerDesk.coins, 1), LedgerDesk.purchase("com.example.reader.unheard", 2),
      LedgerDesk.purchase(LedgerDesk.book, 3), wrongType,
      LedgerDesk.purchase(LedgerDesk.book, 5, refunded: 100_000),
    ])

    let redemption = try await desk.ledger.redeem(
      proof,
      .purchases([
        .init(transactionID: TransactionID(9)), .init(transactionID: TransactionID(2)),
        .init(transactionID: TransactionID(3), productID: LedgerDesk.coins), .init(transactionID: TransactionID(4)),
        .init(transactionID: TransactionID(5)), .init(transactionID: TransactionID(1)),
      ]), for: ada)

    #expect(
      redemption.purchases.map(\.outcome.refusal) == [
        .notInProof, .unknownProduct("com.example.reader.unheard"), .otherProduct(LedgerDesk.book),
        .otherType(.nonConsumable), .refunded(LedgerDesk.start), nil,
      ])
    #expect(try await desk.balance(of: ada.customer) == 5)
    #expect(try await desk.owned(by: ada.customer) == [])
  }

  @Test("A product that is published later can be redeemed then", arguments: LedgerEngine.allCases)
  func publishedLater(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada")
    let purchase = LedgerDesk.purchase("com.example.reader.atlas", 1)

    let before = try await desk.redeem(purchase, for: ada)
    try await desk.ledger.publish(
      LedgerProduct(id: purchase.productID, type: .nonConsumable), app: LedgerDesk.app, by: "olga")
    let after = try await desk.redeem(purchase, for: ada)

    #expect(before.refusal == .unknownProduct(purchase.productID))
    #expect(after.given?.entitlement?.product == purchase.productID)
  }

  @Test("Restoring gives all that lasts, once, and no consumable", arguments: LedgerEngine.allCases)
  func restore(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada")
    let proof = LedgerDesk.proof([
      LedgerDesk.purchase(LedgerDesk.coins, 1), LedgerDesk.purchase(LedgerDesk.book, 2),
      LedgerDesk.purchase(LedgerDesk.magazine, 4, original: 3, refunded: 100_000),
      LedgerDesk.purchase(LedgerDesk.magazine, 3), LedgerDesk.purchase(LedgerDesk.book, 5, original: 2),
    ])

    let redemption = try await desk.ledger.redeem(proof, .everythingOwned, for: ada)

    #expect(redemption.purchases.map(\.transactionID) == [TransactionID(5), TransactionID(3)])
    #expect(redemption.purchases.map(\.outcome.given?.claim) == [TransactionID(2), TransactionID(3)])
    #expect(try await desk.balance(of: ada.customer) == 0)
    #expect(try await desk.owned(by: ada.customer) == [LedgerDesk.book, LedgerDesk.magazine])
  }

  @Test("The same transaction id of another environment is another purchase", arguments: LedgerEngine.allCases)
  func environments(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (ada, ben) = (try await desk.identified("ada"), try await desk.identified("ben"))
    let purchase = LedgerDesk.purchase(LedgerDesk.coins, 1)
    let request = RedemptionRequest.purchases([.init(transactionID: TransactionID(1))])

    _ = try await desk.ledger.redeem(LedgerDesk.proof([purchase]), request, for: ada)
    let sandbox = try await desk.ledger.redeem(LedgerDesk.proof([purchase], in: .sandbox), request, for: ben)

    #expect(sandbox.purchases.first?.outcome.given?.isNew == true)
  }

  @Test(
    "What was bought in the sandbox is for those who are listed, by id or by subject", arguments: LedgerEngine.allCases)
  func sandboxCustomers(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine, LedgerSettings(sandboxCustomers: ["ada"]))
    let ben = try await desk.installation()
    let listed = try await Ledger(
      database: desk.database, anchors: .apple,
      apps: [LedgerDesk.app: LedgerSettings(sandboxCustomers: [ben.customer.description])])
    let (ada, coins) = (try await desk.identified("ada"), LedgerDesk.purchase(LedgerDesk.coins, 1))
    func redeem(_ ledger: Ledger, _ claimant: Claimant) async throws -> RedeemedPurchase.Outcome? {
      try await ledger.redeem(
        LedgerDesk.proof([coins], in: .sandbox), .purchases([.init(transactionID: coins.transactionID)]), for: claimant
      ).purchases.first?.outcome
    }

    #expect(try await redeem(desk.ledger, ben)?.refusal == .environmentNotAllowed(.sandbox))
    #expect(try await redeem(listed, ada)?.refusal == .environmentNotAllowed(.sandbox))
    #expect(try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 2), for: ben).given != nil)
    #expect(try await redeem(desk.ledger, ada)?.given != nil)
    // The settings can also list a customer by id.
    let other = LedgerDesk.purchase(LedgerDesk.coins, 3)
    let byID = try await listed.redeem(
      LedgerDesk.proof([other], in: .sandbox), .purchases([.init(transactionID: other.transactionID)]), for: ben)
    #expect(byID.purchases.first?.outcome.given != nil)
  }

  @Test("A quantity that no arithmetic can hold is refused, and nothing is claimed", arguments: LedgerEngine.allCases)
  func hugeQuantity(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada")

    await #expect(throws: LedgerError.amountOutOfRange(Int64.max)) {
      try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 1, quantity: .max), for: ada)
    }
    #expect(try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 1), for: ada).given?.isNew == true)
  }

  @Test("A proof of another app than the token's is refused", arguments: LedgerEngine.allCases)
  func otherApp(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let someone = try await desk.installation()
    let foreign = Claimant(customer: someone.customer, isIdentified: false, app: "com.example.other")

    await #expect(throws: LedgerError.self) {
      try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 1), for: foreign)
    }
  }
}
