import ControlAPI

// The queries for the tour's goals.
extension ControlAPIClient {
  /// Returns the last transactions, newest first: 50, because many may have been made since the last check.
  func newestTransactions() async throws -> [TransactionView] {
    var query = TransactionQuery()
    query.records.limit = 50
    return try await call(ControlEndpoints.transactions, query: query).value.transactions
  }

  func hasRefund() async throws -> Bool {
    var query = RecordQuery()
    query.limit = 1
    return try await !call(ControlEndpoints.refunds, query: query).value.refunds.isEmpty
  }
}
