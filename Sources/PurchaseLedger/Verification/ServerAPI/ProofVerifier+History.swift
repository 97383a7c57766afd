import AppStoreServerAPI
import StoreModel

/// A part of what the store states about a customer's purchases.
public struct StoreHistoryPart: Sendable {
  /// The transactions that have changed, or the subscriptions; nil if there are none.
  public let statements: VerifiedProof?
  /// Where a later reading goes on after this part; nil for the subscriptions.
  public let revision: String?
}

extension ProofVerifier {
  /// Reads what the App Store Server API states about the purchases of one customer: the transactions that have changed, a page
  /// at a time, and then the status of the subscriptions.
  ///
  /// - Parameters:
  ///   - id: any transaction id of the customer in the app, or the `appTransactionId`.
  ///   - revision: where the last reading ended; nil for the whole history. If the store does not know it any more, the whole
  ///     history is read.
  ///   - record: records a part, before the next one is requested.
  /// - Returns: false if the app's method does not use the App Store Server API; nothing was read.
  /// - Throws: ``ProofRefusal``; errors of `record`.
  public func readHistory(
    of id: TransactionID, in environment: StoreEnvironment, for app: BundleID, after revision: String?,
    record: (StoreHistoryPart) async throws -> Void
  ) async throws -> Bool {
    guard case .serverAPI(let asking) = try policy(of: app).method else { return false }
    var revision = revision
    var hasMore = true
    while hasMore {
      let last = revision
      let page = try await part(of: app, in: environment, asking) {
        try await $0.page(of: id, in: environment, after: last)
      }
      if page.hasMore, page.revision == last {
        throw serverAPI.refusal(
          ServerAPIClientError.pagesDoNotAdvance(token: page.revision), of: app, in: environment, asking)
      }
      try await record(StoreHistoryPart(statements: page.statements, revision: page.revision))
      (revision, hasMore) = (page.revision, page.hasMore)
    }
    let statements = try await part(of: app, in: environment, asking) {
      try await $0.subscriptions(of: id, in: environment)
    }
    try await record(StoreHistoryPart(statements: statements, revision: nil))
    return true
  }

  private func part<Part: Sendable>(
    of app: BundleID, in environment: StoreEnvironment, _ asking: ServerAPIPolicy,
    _ ask: (ServerAPIVerification) async throws -> Part
  ) async throws(ProofRefusal) -> Part {
    try await serverAPI.result(of: app, in: environment, asking, seconds: asking.totalTimeoutSeconds, ask).get()
  }
}

extension ServerAPIVerification {
  fileprivate struct Page: Sendable {
    let statements: VerifiedProof?
    let revision: String
    let hasMore: Bool
  }

  fileprivate func page(
    of id: TransactionID, in environment: StoreEnvironment, after revision: String?
  ) async throws -> Page {
    var query = TransactionHistoryQuery()
    query.revision = revision
    do {
      var pages = client.transactionHistory(of: id, query, in: environment).makeAsyncIterator()
      guard let page = try await pages.next() else { throw AnswerFault.unreadable("there is no page") }
      var statements = StoreStatements()
      for transaction in page.transactions { try statements.add(transaction.value) }
      return Page(
        statements: try recordable(statements, about: id, in: environment), revision: page.revision,
        hasMore: page.hasMore)
    } catch let error as ServerAPIClientError where error.code == .invalidRequestRevision && revision != nil {
      return try await self.page(of: id, in: environment, after: nil)
    }
  }

  fileprivate func subscriptions(
    of id: TransactionID, in environment: StoreEnvironment
  ) async throws -> VerifiedProof? {
    var statements = StoreStatements()
    for subscription in try await client.subscriptions(of: id, in: environment) { try statements.add(subscription) }
    return try recordable(statements, about: id, in: environment)
  }

  private func recordable(
    _ statements: StoreStatements, about id: TransactionID, in environment: StoreEnvironment
  ) throws -> VerifiedProof? {
    guard !statements.purchases.isEmpty else { return nil }
    try check(statements)
    return VerifiedProof(statements, about: id, app: app, environment: environment)
  }
}
