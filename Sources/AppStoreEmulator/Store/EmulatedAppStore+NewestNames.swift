import StoreModel

extension EmulatedAppStore {
  /// The names of the customers that were added last, newest first.
  package func newestCustomerNames(limit: Int) async throws -> [AccountName] {
    try await database.read { try $0.newestNames.customers(limit: limit) }
  }

  /// The ids of the products that were added to a catalog last, newest first.
  package func newestProductIDs(limit: Int) async throws -> [ProductID] {
    try await database.read { try $0.newestNames.products(limit: limit) }
  }

  /// The installations that registered last, newest first.
  package func newestInstallations(limit: Int) async throws -> [Installation] {
    try await database.read { try $0.newestNames.installations(limit: limit) }
  }
}
