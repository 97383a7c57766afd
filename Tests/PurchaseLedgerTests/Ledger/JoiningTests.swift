import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Tests the rules of Documentation/threat-model.md, "Joining an earlier installation".
@Suite("Joining an earlier installation", .timeLimit(.minutes(10)))
struct JoiningTests {
  private let device = UUID(uuidString: "10000000-0000-4000-8000-000000000001")!
  private let book = LedgerDesk.purchase(LedgerDesk.book, 1)
  private let coins = LedgerDesk.purchase(LedgerDesk.coins, 2)

  /// Returns a customer with a book and five coins, which a proof of the customer's device shows,
  /// and an installation that registers with the same device a minute later.
  private func victimAndNewcomer(_ engine: LedgerEngine) async throws -> (LedgerDesk, Claimant, Claimant) {
    let desk = try await LedgerDesk.open(engine)
    let victim = try await desk.installation(on: device)
    _ = try await desk.ledger.redeem(
      LedgerDesk.proof([book, coins], stated: 1, issuedFor: device),
      .purchases([book, coins].map { .init(transactionID: $0.transactionID) }), for: victim)
    desk.clock.advance(seconds: 60)
    return (desk, victim, try await desk.installation(on: device))
  }

  @Test(
    "G6 a receipt made before the installation registered opens no credits, export or erasure",
    arguments: LedgerEngine.allCases)
  func olderProof(_ engine: LedgerEngine) async throws {
    let (desk, victim, attacker) = try await victimAndNewcomer(engine)

    let answer = try await desk.ledger.redeem(
      LedgerDesk.proof([book, coins], stated: 1, issuedFor: device),
      .purchases([book, coins].map { .init(transactionID: $0.transactionID) }), for: attacker)

    #expect(answer.customer == attacker.customer)
    #expect(answer.purchases.map(\.outcome.refusal) == [nil, .claimedByAnotherCustomer])
    #expect(try await desk.balance(of: victim.customer) == 5)
    #expect(try await desk.balance(of: attacker.customer) == 0)
    #expect(try await desk.ledger.export(attacker.customer).customer == attacker.customer)
    try await desk.ledger.erase(attacker.customer)
    #expect(try await desk.ledger.export(victim.customer).accounts.first?.balance == 5)
  }

  @Test(
    "G6 under verifyReceipt the receipt's own date counts, not that of the answer", arguments: LedgerEngine.allCases)
  func askedNow(_ engine: LedgerEngine) async throws {
    let (desk, victim, attacker) = try await victimAndNewcomer(engine)

    let answer = try await desk.ledger.redeem(
      LedgerDesk.proof([book], stated: 90, issued: 1, issuedFor: device), .everythingOwned, for: attacker)

    #expect(answer.customer != victim.customer)
  }

  @Test(
    "D1 a receipt that the store made since joins the customer, also after an older one had brought the book",
    arguments: LedgerEngine.allCases, [false, true])
  func newerProof(_ engine: LedgerEngine, olderFirst: Bool) async throws {
    let (desk, owner, newcomer) = try await victimAndNewcomer(engine)
    if olderFirst {
      let older = try await desk.ledger.redeem(
        LedgerDesk.proof([book], stated: 1, issuedFor: device), .everythingOwned, for: newcomer)
      #expect(older.customer == newcomer.customer)
      #expect(try await desk.owned(by: newcomer.customer) == [LedgerDesk.book])
      #expect(try await desk.owned(by: owner.customer) == [])
    }

    let newer = try await desk.ledger.redeem(
      LedgerDesk.proof([book], stated: 61, issuedFor: device), .everythingOwned, for: newcomer)

    #expect(newer.customer == owner.customer)
    #expect(try await desk.balance(of: owner.customer) == 5)
    #expect(try await desk.owned(by: owner.customer) == [LedgerDesk.book])
    #expect(try await desk.owned(by: newcomer.customer) == [])
    // The next installation is joined as well.
    desk.clock.advance(seconds: 60)
    let next = try await desk.installation(on: device)
    let third = try await desk.ledger.redeem(
      LedgerDesk.proof([book], stated: 121, issuedFor: device), .everythingOwned, for: next)
    #expect(third.customer == owner.customer)
    try await desk.checkBooks()
  }

  @Test(
    "D1 G6 the owner's next installation has the credits back although somebody moved the book with an older receipt",
    arguments: LedgerEngine.allCases, [false, true])
  func movedBefore(_ engine: LedgerEngine, olderFirst: Bool) async throws {
    let (desk, owner, attacker) = try await victimAndNewcomer(engine)
    _ = try await desk.redeem(book, stated: 1, issuedFor: device, for: attacker)
    #expect(try await desk.owned(by: attacker.customer) == [LedgerDesk.book])
    desk.clock.advance(seconds: 60)
    let next = try await desk.installation(on: device)
    if olderFirst {
      let older = try await desk.ledger.redeem(
        LedgerDesk.proof([book], stated: 2, issuedFor: device), .everythingOwned, for: next)
      #expect(older.customer == next.customer)
    }

    let answer = try await desk.ledger.redeem(
      LedgerDesk.proof([book], stated: 121, issuedFor: device), .everythingOwned, for: next)

    #expect(answer.customer == owner.customer)
    #expect(try await desk.owned(by: owner.customer) == [LedgerDesk.book])
    #expect(try await desk.owned(by: attacker.customer) == [])
    #expect(try await desk.balance(of: owner.customer) == 5)
    try await desk.checkBooks()
  }

  @Test(
    "G6 who claimed a purchase with an older proof is not joined by its owner's next installation",
    arguments: LedgerEngine.allCases)
  func claimedWithCopy(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    desk.clock.advance(seconds: 60)
    let attacker = try await desk.installation(on: device)
    _ = try await desk.redeem(book, stated: 1, issuedFor: device, for: attacker)
    let owner = try await desk.installation(on: device)

    let answer = try await desk.ledger.redeem(
      LedgerDesk.proof([book], stated: 61, issuedFor: device), .everythingOwned, for: owner)

    #expect(answer.customer == owner.customer)
    #expect(try await desk.owned(by: owner.customer) == [LedgerDesk.book])
  }

  @Test(
    "G6 an unclaimed consumable in the name of an earlier installation needs a proof made since",
    arguments: LedgerEngine.allCases)
  func namedConsumable(_ engine: LedgerEngine) async throws {
    let (desk, owner, newcomer) = try await victimAndNewcomer(engine)
    let more = LedgerDesk.purchase(LedgerDesk.coins, 3, for: owner.customer)

    #expect(try await desk.redeem(more, stated: 2, issuedFor: device, for: newcomer).refusal == .namesAnotherCustomer)
    #expect(try await desk.redeem(more, stated: 61, issuedFor: device, for: newcomer).given != nil)
  }
}
