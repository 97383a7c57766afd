import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(30))) struct ConcurrentRedemptionTests {
  @Test(
    "64 claimants of the same and of different purchases: each is granted once, and all accounts add up to zero",
    .timeLimit(.minutes(30)), arguments: LedgerEngine.allCases)
  func race(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let customers = try await (0..<8).asyncMap { try await fixture.identified("customer \($0)") }
    let purchases = (1...20).map { TestLedger.purchase($0 % 5 == 0 ? TestLedger.book : TestLedger.coins, $0) }

    let given = try await withThrowingTaskGroup(of: [(TransactionID, Bool)].self) { group in
      for client in 0..<64 {
        group.addTask {
          var generator = SeededGenerator(seed: UInt64(client))
          var given: [(TransactionID, Bool)] = []
          for purchase in purchases.shuffled(using: &generator) {
            let outcome = try await fixture.redeem(purchase, for: customers[client % customers.count])
            if let goods = outcome.given { given.append((purchase.transactionID, goods.isNew)) }
          }
          return given
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }

    // Each purchase was new for one client. The other clients of the same customer received it again.
    #expect(given.filter(\.1).map(\.0).sorted() == purchases.map(\.transactionID).sorted())
    #expect(given.count == purchases.count * 64 / customers.count)
    var total: Int64 = 0
    for customer in customers { total += try await fixture.balance(of: customer.customer) }
    #expect(total == 16 * 5)
    try await fixture.checkBalances()
  }

  @Test(
    "Concurrent refunds, reversals, redemptions and spends end in the newest revocation status",
    .timeLimit(.minutes(30)), arguments: LedgerEngine.allCases)
  func refundsMeanwhile(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")

    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 1...20 as ClosedRange<UInt64> {
        for stated in 1...6 as ClosedRange<Int64> {
          group.addTask {
            let refunded: Int64? = stated.isMultiple(of: 2) ? 100_000 : nil
            let purchase = TestLedger.purchase(TestLedger.coins, id, refunded: refunded)
            if stated < 4 {
              _ = try await fixture.redeem(purchase, stated: stated, for: ada)
            } else {
              try await fixture.ledger.recordStatuses(from: TestLedger.proof([purchase], stated: stated))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    // The newest status of each purchase is refunded. Redemptions that came after it were refused.
    #expect(try await fixture.balance(of: ada.customer) == 0)
    for id in 1...20 as ClosedRange<UInt64> {
      _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, id), stated: 7, for: ada)
    }
    #expect(try await fixture.balance(of: ada.customer) == 100)
    try await fixture.checkBalances()
  }

  @Test("Concurrent spends never exceed the balance", .timeLimit(.minutes(30)), arguments: LedgerEngine.allCases)
  func spends(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1, quantity: 10), for: ada)

    let spent = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<64 {
        group.addTask {
          do {
            _ = try await fixture.ledger.spend(
              1, of: TestLedger.coin, key: "\(number)", customer: ada.customer, app: TestLedger.app)
            return true
          } catch LedgerError.insufficientCredits {
            return false
          }
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }

    #expect(spent == 50)
    #expect(try await fixture.balance(of: ada.customer) == 0)
    try await fixture.checkBalances()
  }
}

extension Sequence {
  func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
