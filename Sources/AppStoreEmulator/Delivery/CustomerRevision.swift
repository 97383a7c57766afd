import GRDB
import StoreModel

extension StoreUnitOfWork {
  /// The largest revision of what the devices of a customer show of an app: of the customer's transactions, of the
  /// customer's subscriptions, and of those of the family, which may be shared with the customer. 0 if there is none.
  ///
  /// A finish is not among them: no app waits for it, so it wakes no device. The next page has it.
  func lastRevision(of customer: Scope) throws -> Int64 {
    let transactions = try Int64.fetchOne(
      database.cachedStatement(sql: Self.lastTransactionSQL), arguments: customer.arguments)
    let subscriptions = try Int64.fetchOne(
      database.cachedStatement(sql: Self.lastSubscriptionSQL), arguments: customer.arguments)
    return max(transactions ?? 0, subscriptions ?? 0)
  }

  /// Reads one entry of the index. Each device that follows a customer's records runs it after every event of the store.
  static let lastTransactionSQL = """
    SELECT revision FROM transactionRecord INDEXED BY transactionRecordRevised
    WHERE account = ? AND bundleID = ? AND environment = ? ORDER BY revision DESC LIMIT 1
    """

  static let lastSubscriptionSQL = """
    SELECT max(revision) FROM (
      SELECT revision FROM subscription WHERE account = ?1 AND bundleID = ?2 AND environment = ?3
      UNION ALL
      SELECT subscription.revision FROM customer
      JOIN customer AS member ON member.environment = customer.environment AND member.family = customer.family
      JOIN subscription ON subscription.account = member.name AND subscription.bundleID = ?2
        AND subscription.environment = member.environment
      WHERE customer.environment = ?3 AND customer.name = ?1)
    """
}

extension Deliveries {
  /// Whether the records of the signed-in customer have changed after a revision.
  ///
  /// - Parameter revision: the end of the last page of ``changed(after:limit:withStatuses:)``. Nil, a revision of another epoch,
  ///   or one that was never given counts as changed.
  /// - Returns: false if no customer is signed in.
  func haveRecordsChanged(after revision: StoreRevision?) throws -> Bool {
    guard let account = installation.account else { return false }
    guard let number = try? revision?.number(in: work.epoch), try isGiven(number) else { return true }
    return try work.lastRevision(of: Scope(account, on: installation)) > number
  }
}
