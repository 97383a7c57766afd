import StoreModel

/// Pages of lists, for the control API and the console. A page begins after the element with the key `after`, which is
/// ``ListPage/next`` of the page before; the first page if it is nil. `limit` is the maximum number of elements.
///
/// The methods throw ``AppStoreEmulatorError/unknownPage`` if the list has no such position.
extension EmulatedAppStore {
  /// A page of the apps and their catalogs, by bundle id. It ends early with the app with which it has 10,000 products.
  package func appPage(after key: [String]? = nil, limit: Int) async throws -> ListPage<AppOnSale> {
    try await database.read { try $0.listing.apps(after: key, limit: limit) }
  }

  /// The first apps by bundle id, without their catalogs.
  package func apps(limit: Int) async throws -> [StoreApp] {
    try await database.read { try $0.listing.apps(limit: limit) }
  }

  /// A page of the customers, by environment and name.
  package func customerPage(after key: [String]? = nil, limit: Int) async throws -> ListPage<Customer> {
    try await database.read { try $0.listing.customers(after: key, limit: limit) }
  }

  /// A page of the installations, in the order in which they registered.
  package func installationPage(after key: [String]? = nil, limit: Int) async throws -> ListPage<Installation> {
    try await database.read { try $0.listing.installations(after: key, limit: limit) }
  }

  /// A page of the payments that wait for approval, oldest first.
  package func approvalPage(after key: [String]? = nil, limit: Int) async throws -> ListPage<PendingApproval> {
    try await database.read { try $0.listing.approvals(after: key, limit: limit) }
  }

  /// The oldest payments that wait for approval and fit a filter, with their installations. The filter's state and page have no
  /// effect.
  package func approvals(
    fitting filter: RecordFilter
  ) async throws -> [(approval: PendingApproval, installation: Installation)] {
    try await database.read { try $0.listing.approvals(fitting: filter) }
  }

  /// A page of a customer's subscriptions in all apps, in the order of their original transaction ids.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownCustomer(_:_:)``.
  package func subscriptionPage(
    of account: AccountName, in environment: StoreEnvironment, after key: [String]? = nil, limit: Int
  ) async throws -> ListPage<RenewalRecord> {
    try await database.read { try $0.listing.subscriptions(of: account, environment, after: key, limit: limit) }
  }

  /// A subscription, and a page of its history, oldest step first.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownSubscription(_:)``.
  package func subscription(
    _ original: TransactionID, historyAfter key: [String]? = nil, limit: Int
  ) async throws -> (details: RenewalRecord, history: ListPage<RenewalRecord.Step>) {
    try await database.read { work in
      (
        RenewalRecord(try work.subscriptions.subscription(original)),
        try work.listing.history(of: original, after: key, limit: limit)
      )
    }
  }
}
