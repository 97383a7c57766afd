import Foundation
import PurchaseKit
import Testing

@Suite("Credits in a vault", .timeLimit(.minutes(30)))
struct CreditStoreTests {
  private let date = Date(timeIntervalSince1970: 1_790_000_000)

  @Test("B9 H2 one transaction grants its credits once, however often it is delivered, also after a restart")
  func grantedOnce() throws {
    let files = TestVault()
    var vault = try files.open()
    var store = VaultCreditStore(vault)
    #expect(try store.grant(5, for: "1", productIdentifier: "five", date: date) == CreditGrant(isNew: true, balance: 5))
    #expect(
      try store.grant(5, for: "1", productIdentifier: "five", date: date) == CreditGrant(isNew: false, balance: 5))
    try vault.close()
    vault = try files.open()
    store = VaultCreditStore(vault)
    #expect(try store.grant(5, for: "1", productIdentifier: "five", date: date).isNew == false)
    // A later version of the app that grants more for the product finds the earlier grant and does not change it.
    #expect(
      try store.grant(6, for: "1", productIdentifier: "five", date: date) == CreditGrant(isNew: false, balance: 5))
    #expect(try store.balance() == 5)
    #expect(try store.grants().map(\.transactionIdentifier) == ["1"])
    try vault.close()
  }

  @Test("B9 a transaction with the identifier of another purchase fails, and changes nothing")
  func identifierReused() throws {
    let store = try TestVault.credits()
    _ = try store.grant(10, for: "1", productIdentifier: "ten", date: date)
    for (product, later) in [("ten", 60.0), ("ten", -1), ("five", 0)] {
      let error = TransactionIdentifierReused(
        transactionIdentifier: "1", productIdentifier: product, deliveredProductIdentifier: "ten",
        deliveredPurchaseDate: date)
      #expect(throws: error) {
        try store.grant(10, for: "1", productIdentifier: product, date: date.addingTimeInterval(later))
      }
    }
    // The same purchase, with a date of less precision.
    #expect(
      try store.grant(10, for: "1", productIdentifier: "ten", date: date.addingTimeInterval(0.5))
        == CreditGrant(isNew: false, balance: 10))
    #expect(try store.grants().count == 1)
  }

  @Test("B5 credits are spent all or nothing, and a spend above the balance changes nothing")
  func spending() throws {
    let store = try TestVault.credits()
    _ = try store.grant(10, for: "1", productIdentifier: "ten", date: date)
    #expect(try store.spend(4, key: UUID(), date: date) == 6)
    #expect(throws: CreditError.insufficient(balance: 6, requested: 7)) {
      try store.spend(7, key: UUID(), date: date)
    }
    #expect(try store.balance() == 6)
    #expect(try store.spend(6, key: UUID(), date: date) == 0)
  }

  @Test("a spend repeated with its key is made once; the key is valid for that amount only")
  func idempotentSpend() throws {
    let store = try TestVault.credits()
    _ = try store.grant(10, for: "1", productIdentifier: "ten", date: date)
    let key = UUID()
    #expect(try store.spend(4, key: key, date: date) == 6)
    #expect(try store.spend(4, key: key, date: date) == 6)
    #expect(throws: CreditError.keyReused(key)) { try store.spend(5, key: key, date: date) }
    #expect(try store.balance() == 6)
  }

  @Test("amounts below 1 or above the maximum are refused and change nothing")
  func amounts() throws {
    let store = try TestVault.credits()
    for amount in [0, -1, Int.min] {
      #expect(throws: CreditError.amountOutOfRange(amount)) {
        try store.grant(amount, for: "1", productIdentifier: "five", date: date)
      }
      #expect(throws: CreditError.amountOutOfRange(amount)) { try store.spend(amount, key: UUID(), date: date) }
    }
    _ = try store.grant(Int.max, for: "1", productIdentifier: "all", date: date)
    #expect(throws: CreditError.amountOutOfRange(1)) {
      try store.grant(1, for: "2", productIdentifier: "five", date: date)
    }
    #expect(try store.balance() == Int.max)
    // The grant that did not fit was not recorded, so it is made once there is room.
    _ = try store.spend(10, key: UUID(), date: date)
    #expect(try store.grant(1, for: "2", productIdentifier: "five", date: date).isNew)
  }

  @Test("grants and spends from many threads add up")
  func concurrency() async throws {
    let store = try TestVault.credits()
    let date = date
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          _ = try store.grant(3, for: "\(number / 2)", productIdentifier: "three", date: date)
          if number % 4 == 0 { _ = try store.spend(1, key: UUID(), date: date) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.balance() == 100 * 3 - 50)
  }
}
