import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

/// Documentation/postgresql.md, "Writes that share a transaction".
@Suite("Redemptions that wait at the same time", .timeLimit(.minutes(30)))
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
      ] as [Redeem])
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
      fixture, customers.map { customer -> Redeem in { try await fixture.redeem(purchase, for: customer) } })
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
      customers.enumerated().map { place, customer -> Redeem in
        { try await fixture.redeem(TestLedger.purchase(TestLedger.club, UInt64(place) + 1), for: customer) }
      })
    #expect(outcomes.compactMap(\.given).count == 4)
  }

  @Test(
    "A notification about a claimed purchase, and one that is set aside, do not undo the writes that share their transaction",
    arguments: [TestLedger.coins, TestLedger.book])
  func notification(product: ProductID) async throws {
    let fixture = try await TestLedger.open(.postgreSQL)
    let ada = try await fixture.identified("ada")
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: ada)
    // Nobody knows the owner's lock beforehand. The book is another purchase with the id of the coins.
    let refund = TestLedger.purchase(product, 1, refunded: 100_000)
    let notification = StoreNotification(
      app: TestLedger.app, environment: .production, uuid: "a", type: "REFUND", subtype: nil,
      originalTransactionID: TransactionID(1), signed: TestLedger.start,
      content: .purchase(TestLedger.proof([refund], stated: 10, as: .signedTransaction("jws"))), payload: "payload")
    let runs = LockedValue(0)
    let writes: [@Sendable () async throws -> Void] = [
      { _ = try await fixture.ledger.receive(notification, from: .sent) },
      {
        try await fixture.database.writeShared(locking: [], about: []) { transaction in
          runs.withLock { $0 += 1 }
          _ = try transaction.execute("UPDATE product SET changed = changed")
        }
      },
    ]
    _ = try await waitingTogether(fixture, writes)
    #expect(runs.value == 1)
    let isRecorded = product == TestLedger.coins
    #expect(try await fixture.balance(of: ada.customer) == (isRecorded ? 0 : 5))
    let known = try await fixture.ledger.notifications(of: TestLedger.app, limit: 10).elements
    #expect(known.map(\.state) == [isRecorded ? .recorded : .setAside])
  }

  /// Makes writes wait at the same time, and returns their results.
  private func waitingTogether<Value: Sendable>(
    _ fixture: TestLedger, _ writes: [@Sendable () async throws -> Value]
  ) async throws -> [Value] {
    let database = try #require(fixture.database as? PostgreSQLLedgerDatabase)
    // Two writes end only when all others wait.
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
    var tasks: [Task<Value, any Error>] = []
    for write in writes {
      tasks.append(Task { try await write() })
      while database.sharedWrites.waiting < tasks.count { await Task.yield() }
    }
    mayEnd.signal()
    var results: [Value] = []
    for task in tasks { results.append(try await task.value) }
    mayEnd.signal()
    for holder in holders { try await holder.value }
    return results
  }
}
