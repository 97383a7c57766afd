import ControlAPI

// The queries for the tour's goals, and for its end.
extension ControlAPIClient {
  /// Returns the last transactions, newest first: 50, because many may have been made since the last check.
  func newestTransactions() async throws -> [TransactionView] {
    var query = TransactionQuery()
    query.records.limit = 50
    return try await call(ControlEndpoints.transactions, query: query).value.transactions
  }

  /// Returns all charges, newest first.
  func allCharges() async throws -> [ChargeView] {
    var (query, charges) = (RecordQuery(), [ChargeView]())
    repeat {
      let page = try await call(ControlEndpoints.charges, query: query).value
      charges += page.charges
      query.before = page.next
    } while query.before != nil
    return charges
  }

  /// Returns all refunds and their reversals, newest first.
  func allRefunds() async throws -> [RefundView] {
    var (query, refunds) = (RecordQuery(), [RefundView]())
    repeat {
      let page = try await call(ControlEndpoints.refunds, query: query).value
      refunds += page.refunds
      query.before = page.next
    } while query.before != nil
    return refunds
  }
}
