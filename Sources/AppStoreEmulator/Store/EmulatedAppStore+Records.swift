import StoreModel

extension EmulatedAppStore {

  /// The newest transactions, newest first.
  public func transactions(_ filter: RecordFilter = RecordFilter()) async throws -> [StoredTransaction] {
    try await database.read { try $0.listing.transactions(filter) }
  }

  /// The newest transactions, newest first, and the start of the next page.
  public func transactionPage(_ filter: RecordFilter = RecordFilter()) async throws -> TransactionPage {
    try await database.read { try $0.listing.transactionPage(filter) }
  }

  /// The number of transactions that match `filter`, on all pages.
  public func transactionCount(_ filter: RecordFilter = RecordFilter()) async throws -> Int {
    try await database.read { try $0.listing.transactionCount(filter) }
  }

  /// One transaction, with its charge, redeliveries, refunds and shares.
  ///
  /// - Parameter id: the id of the transaction or of a redelivery.
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``.
  public func transaction(_ id: TransactionID) async throws -> TransactionDetails {
    try await database.read { try $0.listing.details(id) }
  }

  /// The newest charges, newest first.
  public func charges(_ filter: RecordFilter = RecordFilter()) async throws -> [Charge] {
    try await chargePage(filter).records
  }

  /// The newest refunds, newest first.
  public func refunds(_ filter: RecordFilter = RecordFilter()) async throws -> [Refund] {
    try await refundPage(filter).records
  }

  /// A page of the charges, newest first.
  public func chargePage(_ filter: RecordFilter = RecordFilter()) async throws -> RecordPage<Charge> {
    try await database.read { try $0.listing.charges(filter) }
  }

  /// A page of the refunds, newest first.
  public func refundPage(_ filter: RecordFilter = RecordFilter()) async throws -> RecordPage<Refund> {
    try await database.read { try $0.listing.refunds(filter) }
  }

  /// The timeline of one purchase, oldest entry first.
  ///
  /// Entries from records are permanent. Requests appear only while they are in the journal. The dates of
  /// refunds are rounded down to whole seconds, so refunds are put after all other entries of their second.
  ///
  /// - Parameter id: the id of the transaction or of a redelivery.
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``.
  public func timeline(of id: TransactionID) async throws -> [TimelineEntry] {
    try await database.read { try $0.purchaseSources(of: id) }.timeline(requests: requests())
  }

  /// The sums of the charges and refunds of the transactions that match `filter`.
  ///
  /// - Parameter earlier: an earlier result, to read only the rows that were added since then. It must be a result for
  ///   the same filter, and the filter must not contain a state or a search.
  package func sales(
    _ filter: RecordFilter = RecordFilter(), continuing earlier: HourlySales? = nil
  ) async throws -> HourlySales {
    try await database.read { try $0.listing.sales(filter, continuing: earlier) }
  }

  /// Finds transactions, customers, products and installations by the beginning of an identifier.
  ///
  /// - Parameter limit: the maximum number of records of each kind.
  package func matches(beginningWith text: String, limit: Int) async throws -> StoreMatches {
    try await database.read { try $0.listing.matches(beginningWith: text, limit: limit) }
  }

  // MARK: The request journal

  /// The requests that match `filter`, oldest first. Tests use them in assertions.
  ///
  /// - Parameter limit: the maximum number of requests, at least 0. If more requests match, the newest are returned.
  public func requests(_ filter: RequestFilter = RequestFilter(), limit: Int = .max) -> [JournaledRequest] {
    requestJournal.requests(filter, limit: limit)
  }

  /// Returns the oldest request in the journal that matches `filter`. If there is none, waits for one, so a test can
  /// wait for a device.
  ///
  /// ```swift
  /// _ = try await store.request(RequestFilter(.device(.finish), outcome: .answered))
  /// ```
  ///
  /// - Throws: `CancellationError` if the task is cancelled or the store is closed.
  public func request(_ filter: RequestFilter) async throws -> JournaledRequest {
    try await requestJournal.firstRequest(filter)
  }

  /// A request with its bodies. Bodies are kept for the newest 500 requests.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownRequest(_:)``.
  public func request(_ sequence: Int64) throws -> RequestDetails { try requestJournal.details(sequence) }

  public var requestJournalExtent: RequestJournalExtent { requestJournal.extent }

  /// Empties the journal, and returns the number of requests that were in it.
  @discardableResult
  public func clearRequests() -> Int { requestJournal.clear() }
}
