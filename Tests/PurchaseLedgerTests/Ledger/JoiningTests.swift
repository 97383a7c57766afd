import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Tests the rules of Documentation/threat-model.md, "Joining an earlier installation".
@Suite("Joining an earlier installation", .timeLimit(.minutes(30)))
struct JoiningTests {
  private let device = UUID(uuidString: "10000000-0000-4000-8000-000000000001")!
  private let book = TestLedger.purchase(TestLedger.book, 1)
  private let coins = TestLedger.purchase(TestLedger.coins, 2)

  /// Returns a customer with a book and five coins, which a proof of the customer's device shows,
  /// and an installation that registers with the same device a minute later.
  private func victimAndNewcomer(_ engine: LedgerEngine) async throws -> (TestLedger, Claimant, Claimant) {
    let fixture = try await TestLedger.open(engine)
    let victim = try await fixture.installation(on: device)
    _ = try await fixture.ledger.redeem(
      TestLedger.proof([book, coins], stated: 1, issuedFor: device),
      .purchases([book, coins].map { .init(transactionID: $0.transactionID) }), for: victim)
    fixture.clock.advance(seconds: 60)
    return (fixture, victim, try await fixture.installation(on: device))
  }

  @Test(
    "G6 a receipt made before the installation registered gives no access to credits, export or erasure",
    arguments: LedgerEngine.allCases)
  func olderProof(_ engine: LedgerEngine) async throws {
    let (fixture, victim, attacker) = try await victimAndNewcomer(engine)

    let answer = try await fixture.ledger.redeem(
      TestLedger.proof([book, coins], stated: 1, issuedFor: device),
      .purchases([book, coins].map { .init(transactionID: $0.transactionID) }), for: attacker)

    #expect(answer.customer == attacker.customer)
    #expect(answer.purchases.map(\.outcome.refusal) == [nil, .claimedByAnotherCustomer])
    #expect(try await fixture.balance(of: victim.customer) == 5)
    #expect(try await fixture.balance(of: attacker.customer) == 0)
    #expect(try await fixture.ledger.exported(attacker.customer).customer == attacker.customer)
    try await fixture.ledger.erase(attacker.customer)
    #expect(try await fixture.ledger.exported(victim.customer).accounts.first?.balance == 5)
  }

  @Test(
    "G6 under verifyReceipt the receipt's own date is used, not that of the answer", arguments: LedgerEngine.allCases)
  func askedNow(_ engine: LedgerEngine) async throws {
    let (fixture, victim, attacker) = try await victimAndNewcomer(engine)

    let answer = try await fixture.ledger.redeem(
      TestLedger.proof([book], stated: 90, issued: 1, issuedFor: device), .everythingOwned, for: attacker)

    #expect(answer.customer != victim.customer)
  }

  @Test(
    "D1 a receipt made after the registration joins the customer, also if an older one had restored the book",
    arguments: LedgerEngine.allCases, [false, true])
  func newerProof(_ engine: LedgerEngine, olderFirst: Bool) async throws {
    let (fixture, owner, newcomer) = try await victimAndNewcomer(engine)
    if olderFirst {
      let older = try await fixture.ledger.redeem(
        TestLedger.proof([book], stated: 1, issuedFor: device), .everythingOwned, for: newcomer)
      #expect(older.customer == newcomer.customer)
      #expect(try await fixture.owned(by: newcomer.customer) == [TestLedger.book])
      #expect(try await fixture.owned(by: owner.customer) == [])
    }

    let newer = try await fixture.ledger.redeem(
      TestLedger.proof([book], stated: 61, issuedFor: device), .everythingOwned, for: newcomer)

    #expect(newer.customer == owner.customer)
    #expect(try await fixture.balance(of: owner.customer) == 5)
    #expect(try await fixture.owned(by: owner.customer) == [TestLedger.book])
    #expect(try await fixture.owned(by: newcomer.customer) == [])
    // The next installation is joined as well.
    fixture.clock.advance(seconds: 60)
    let next = try await fixture.installation(on: device)
    let third = try await fixture.ledger.redeem(
      TestLedger.proof([book], stated: 121, issuedFor: device), .everythingOwned, for: next)
    #expect(third.customer == owner.customer)
    try await fixture.checkBalances()
  }

  @Test(
    "D1 G6 the owner's next installation gets the credits although another customer moved the book with an older receipt",
    arguments: LedgerEngine.allCases, [false, true])
  func movedBefore(_ engine: LedgerEngine, olderFirst: Bool) async throws {
    let (fixture, owner, attacker) = try await victimAndNewcomer(engine)
    _ = try await fixture.redeem(book, stated: 1, issuedFor: device, for: attacker)
    #expect(try await fixture.owned(by: attacker.customer) == [TestLedger.book])
    fixture.clock.advance(seconds: 60)
    let next = try await fixture.installation(on: device)
    if olderFirst {
      let older = try await fixture.ledger.redeem(
        TestLedger.proof([book], stated: 2, issuedFor: device), .everythingOwned, for: next)
      #expect(older.customer == next.customer)
    }

    let answer = try await fixture.ledger.redeem(
      TestLedger.proof([book], stated: 121, issuedFor: device), .everythingOwned, for: next)

    #expect(answer.customer == owner.customer)
    #expect(try await fixture.owned(by: owner.customer) == [TestLedger.book])
    #expect(try await fixture.owned(by: attacker.customer) == [])
    #expect(try await fixture.balance(of: owner.customer) == 5)
    try await fixture.checkBalances()
  }

  @Test(
    "G6 the owner's next installation does not join a customer who claimed a purchase with an older proof",
    arguments: LedgerEngine.allCases)
  func claimedWithCopy(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    fixture.clock.advance(seconds: 60)
    let attacker = try await fixture.installation(on: device)
    _ = try await fixture.redeem(book, stated: 1, issuedFor: device, for: attacker)
    let owner = try await fixture.installation(on: device)

    let answer = try await fixture.ledger.redeem(
      TestLedger.proof([book], stated: 61, issuedFor: device), .everythingOwned, for: owner)

    #expect(answer.customer == owner.customer)
    #expect(try await fixture.owned(by: owner.customer) == [TestLedger.book])
  }

  @Test(
    "G6 an unclaimed consumable that names an earlier installation needs a proof made after the registration",
    arguments: LedgerEngine.allCases)
  func namedConsumable(_ engine: LedgerEngine) async throws {
    let (fixture, owner, newcomer) = try await victimAndNewcomer(engine)
    let more = TestLedger.purchase(TestLedger.coins, 3, for: owner.customer)

    #expect(
      try await fixture.redeem(more, stated: 2, issuedFor: device, for: newcomer).refusal == .namesAnotherCustomer)
    #expect(try await fixture.redeem(more, stated: 61, issuedFor: device, for: newcomer).given != nil)
  }
}
