import GRDB
import ShopFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Measures the work of the list of faults by the number of SQL statements.
@Suite("What the scopes of faults name and the store does not have", .timeLimit(.minutes(30)))
struct FaultWarningTests {
  @Test("one statement finds the products that faults name without an app, whatever their number")
  func products() async throws {
    func statements(_ faults: Int) async throws -> Int {
      let shop = try await TeaShop()
      let sold = try shop.store.set(Fault(OutageFault(), scope: FaultScope(productID: TeaShop.oolong)))
      for number in 0..<faults {
        try shop.store.set(Fault(OutageFault(), scope: FaultScope(productID: ProductID("cake \(number)"))))
      }
      let executed = LockedValue(0)
      try await shop.store.database.write { $0.database.trace { _ in executed.withLock { $0 += 1 } } }
      let reports = try await shop.store.faultsWithWarnings()
      #expect(reports.count == faults + 1)
      for report in reports { #expect((report.warnings == nil) == (report.id == sold.id), "\(report.id)") }
      return executed.value
    }
    let (few, many) = (try await statements(2), try await statements(200))
    #expect(few == many)
  }
}
