import AppStoreEmulator
import StoreModel

/// Caches the sums of all charges and refunds. So a page that is loaded again after each purchase reads only the new
/// rows.
final class SalesCache: Sendable {
  private let store: EmulatedAppStore
  private let sales = LockedValue<HourlySales?>(nil)

  init(store: EmulatedAppStore) { self.store = store }

  /// The charges and refunds of a list. Only those of the list without a filter are cached.
  func history(_ query: TransactionListQuery) async throws -> SalesHistory {
    guard !query.isFiltered else { return SalesHistory(try await store.sales(query.filter)) }
    let sales = try await store.sales(query.filter, continuing: sales.value)
    self.sales.value = sales
    return SalesHistory(sales)
  }
}
