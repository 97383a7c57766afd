import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Synchronous calls of a store in memory", .timeLimit(.minutes(30)))
struct SynchronousStoreTests {
  private static let day: Int64 = 86_400_000
  private static let visitor = Customer(environment: .sandbox, name: "visitor")

  /// What a test session does, in a function that is not asynchronous.
  private func session(_ store: SynchronousStore) throws -> [TransactionRecord] {
    try store.addCustomer(Self.visitor)
    let tea = try store.purchase(TeaShop.oolong, of: TeaShop.app, for: "visitor", in: .sandbox)
    _ = try store.purchase(TeaShop.monthly, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    try store.changeClock(.advance(milliseconds: 95 * Self.day))
    try store.refund(tea.record.transactionID)
    return try store.transactions().map(\.record)
  }

  @Test("they decide and commit as the asynchronous calls do: all rows are equal")
  func sameRows() async throws {
    let (shop, other) = (try await TeaShop.lasting(), try await TeaShop.lasting())
    let records = try session(shop.store.synchronous)
    let store = other.store
    try await store.addCustomer(Self.visitor)
    let tea = try await store.purchase(TeaShop.oolong, of: TeaShop.app, for: "visitor", in: .sandbox)
    _ = try await store.purchase(TeaShop.monthly, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    try await store.changeClock(.advance(milliseconds: 95 * Self.day))
    try await store.refund(tea.record.transactionID)
    #expect(try await store.transactions().map(\.record) == records)
    // The tea, the first period, and three renewals, which were due before the list was read.
    #expect(records.count == 5)
    #expect(records.filter { $0.revocationDate != nil }.map(\.productID) == [TeaShop.oolong])
    let rows = try await shop.records()
    #expect(try await other.records() == rows)
  }

  @Test("a refused call changes nothing, and throws the rule's error")
  func refused() async throws {
    let shop = try await TeaShop()
    let before = try await shop.records()
    #expect(throws: AppStoreEmulatorError.self) { try unknownCustomer(shop.store.synchronous) }
    #expect(try await shop.records() == before)
  }

  private func unknownCustomer(_ store: SynchronousStore) throws {
    _ = try store.purchase(TeaShop.oolong, of: TeaShop.app, for: "nobody", in: .sandbox)
  }

  @Test("they need no thread of Swift's concurrency pool: they end while all its threads are in such calls")
  func busyThreads() async throws {
    let shop = try await TeaShop()
    let store = shop.store
    let tasks = 4 * ProcessInfo.processInfo.activeProcessorCount
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<tasks {
        group.addTask { try buy(5, in: store.synchronous) }
        // The asynchronous calls between them wait for the same database.
        if number.isMultiple(of: 2) {
          group.addTask {
            _ = try await store.purchase(TeaShop.sencha, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.transactionCount(RecordFilter(productID: TeaShop.oolong)) == 5 * tasks)
    #expect(try await store.transactionCount(RecordFilter(productID: TeaShop.sencha)) == tasks / 2)
  }

  private func buy(_ count: Int, in store: SynchronousStore) throws {
    for _ in 0..<count { _ = try store.purchase(TeaShop.oolong, of: TeaShop.app, for: TeaShop.customer, in: .sandbox) }
  }
}
