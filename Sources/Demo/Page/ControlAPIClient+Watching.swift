import APIDescription
import ControlAPI

// The queries for the tour's goals, and for its end.
extension ControlAPIClient {
  /// Returns the last 50 transactions, newest first. Many transactions may have been made since the last check.
  func newestTransactions() async throws -> [TransactionView] {
    var query = TransactionQuery()
    query.records.limit = 50
    return try await call(ControlEndpoints.transactions, query: query).value.transactions
  }

  /// Returns the last 50 notifications, newest first.
  func newestNotifications() async throws -> [NotificationView] {
    var query = NotificationQuery()
    query.limit = 50
    return try await call(ControlEndpoints.notifications, query: query).value.notifications
  }

  /// Returns all charges, newest first.
  func allCharges() async throws -> [ChargeView] {
    try await all(ControlEndpoints.charges) { ($0.charges, $0.next) }
  }

  /// Returns all refunds and their reversals, newest first.
  func allRefunds() async throws -> [RefundView] {
    try await all(ControlEndpoints.refunds) { ($0.refunds, $0.next) }
  }

  private func all<List, View>(
    _ endpoint: Endpoint<NoMembers, RecordQuery, NoMembers, List>, _ page: (List) -> (views: [View], next: Int64?)
  ) async throws -> [View] {
    var (query, views) = (RecordQuery(), [View]())
    repeat {
      let answer = page(try await call(endpoint, query: query).value)
      views += answer.views
      query.before = answer.next
    } while query.before != nil
    return views
  }
}
