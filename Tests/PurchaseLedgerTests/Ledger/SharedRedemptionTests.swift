import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

/// Documentation/postgresql.md, "Writes that share a transaction".
@Suite("Redemptions that wait at the same time", .timeLimit(.minutes(10)))
struct SharedRedemptionTests {
  private typealias Redeem = @Sendable () async throws -> RedeemedPurchase.Outcome

  @Test(
    "two customers redeem one purchase, with its old and its new status: the new status counts",
    arguments: [false, true])
  func statuses(isReversed: Bool) async throws {
    let fixture = try await TestLedger.open(.postgreSQL)
    let (ada, bob) = (try await fixture.identified("ada"), try await fixture.identified("bob"))
    // The purchase names Ada, so Bob is refused, but his proof has the newer status.
    func purchase(isRefunded: Bool) -> ProvenPurchase {
      TestLedger.purchase(TestLedger.coins, 1, for: ada.customer, refunded: isRefunded ? 100_000 : nil)
    }
    let (old, new) = (purchase(isRefunded: isReversed), purchase(isRefunded: !isReversed))
    let outcomes = try await waitingTogether(
      fixture,
      [
        { try await fixture.redeem(old, stated: 1, for: ada) }, { try await fixture.redeem(new, stated: 2, for: bob) },
      ])
    #expect(outcomes[1].refusal == .namesAnotherCustomer)
    #expect(try await fixture.balance(of: ada.customer) == (isReversed ? 5 : 0))
    try await fixture.checkBalances()
  }

  @Test("many customers redeem one purchase: one of them gets it")
  func onePurchase() async throws {
    let fixture = try await TestLedger.open(.postgreSQL)
    let customers = try await (0..<8).asyncMap { try await fixture.identified("customer \($0)") }
    let purchase = TestLedger.purchase(TestLedger.coins, 1)
    let outcomes = try await waitingTogether(
      fixture, customers.map { customer in { try await fixture.redeem(purchase, for: customer) } })
    #expect(outcomes.compactMap(\.given).count == 1)
    #expect(outcomes.compactMap(\.refusal).allSatisfy { $0 == .claimedByAnotherCustomer })
    try await fixture.checkBalances()
  }

  @Test("subscriptions of several customers are redeemed together")
  func subscriptions() async throws {
    let fixture = try await TestLedger.open(.postgreSQL)
    let customers = try await (1...4).asyncMap { try await fixture.identified("customer \($0)") }
    let outcomes = try await waitingTogether(
      fixture,
      customers.enumerated().map { place, customer in
        { try await fixture.redeem(TestLedger.purchase(TestLedger.club, UInt64(place) + 1), for: customer) }
      })
    #expect(outcomes.compactMap(\.given).count == 4)
  }

  /// Makes redemptions wait at the same time, and returns their outcomes.
  private func waitingTogether(
    _ fixture: TestLedger, _ redeem: [Redeem]
  ) async throws -> [RedeemedPurchase.Outcome] {
    let database = try #require(fixture.database as? PostgreSQLLedgerDatabase)
    // Two writes end only when all redemptions wait.
    let mayEnd = DispatchSemaphore(value: 0)
    let begun = AsyncStream.makeStream(of: Void.self)
    let holders = (1...2).map { number in
      Task {
        let lock = LedgerLock.catalog(BundleID("com.example.holder\(number)"))
        try await database.writeShared(locking: [lock], about: []) { _ in
          begun.continuation.yield()
          mayEnd.wait()
        }
      }
    }
    var running = begun.stream.makeAsyncIterator()
    for _ in holders { await running.next() }
    var tasks: [Task<RedeemedPurchase.Outcome, any Error>] = []
    for redeem in redeem {
      tasks.append(Task { try await redeem() })
      while database.sharedWrites.waiting < tasks.count { await Task.yield() }
    }
    mayEnd.signal()
    var outcomes: [RedeemedPurchase.Outcome] = []
    for task in tasks { outcomes.append(try await task.value) }
    mayEnd.signal()
    for holder in holders { try await holder.value }
    return outcomes
  }
}
