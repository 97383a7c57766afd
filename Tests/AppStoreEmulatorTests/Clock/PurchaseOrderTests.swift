import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The order of purchases", .timeLimit(.minutes(30)))
struct PurchaseOrderTests {
  /// A clock that advances by a second each time it is read.
  private final class TickingClock: MachineClock {
    private let current = LockedValue(TeaShop.opening)

    var now: StoreDate {
      current.withLock { current in
        current = current.adding(seconds: 1)
        return current
      }
    }
  }

  @Test("is that of their dates, also when many buy at once")
  func orderOfDates() async throws {
    let store = try EmulatedAppStore(.inMemory(wallClock: TickingClock(), seed: 1))
    try await store.serve(TeaShop.app, catalog: [TeaShop.file(TeaShop.catalog())])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...100 {
        group.addTask {
          _ = try await store.purchase(TeaShop.oolong, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
        }
      }
      try await group.waitForAll()
    }
    let dates = try await store.transactions().map(\.record.purchaseDate)
    #expect(dates == dates.sorted(by: >))
  }
}
