import GRDB
import StoreModel

extension StoreUnitOfWork {
  var renewals: Renewals { Renewals(work: self) }
}

/// Renews subscriptions when their periods end, and charges renewals that failed before.
struct Renewals {
  let work: StoreUnitOfWork

  /// Charges the failed renewals of a customer whose payment method is valid again.
  func recover(_ account: AccountName, _ environment: StoreEnvironment) throws {
    for row in try work.subscriptions.all(of: account, environment) where row.state.isRetrying {
      guard try !work.subscriptions.rules(of: row.bundleID).renewalsFail else { continue }
      try work.subscriptionEffects.apply(.paymentMethodFixed(try work.plans.next(of: row)), to: row)
    }
  }

  /// Whether a renewal of a subscription can be charged now.
  func canCharge(_ row: SubscriptionRow) throws -> Bool {
    guard try !work.subscriptions.rules(of: row.bundleID).renewalsFail else { return false }
    return try work.customers.find(row.account, row.environment)?.customer.paymentMethod == .valid
  }
}

/// Settles subscriptions at the end of a period, a grace period or a billing retry.
extension Renewals: DueRows {
  static func earliestDate(in database: Database) throws -> StoreDate? {
    try earliestDate(of: "dueDate", in: "subscription", database)
  }

  /// - Throws: ``StoreRefusal`` if the transaction could not be signed.
  func settleEarliest() throws {
    guard let row = try earliest() else { return }
    try work.subscriptionEffects.apply(.due(try work.plans.next(of: row), canCharge: try canCharge(row)), to: row)
  }

  func postponeEarliest() throws {
    guard var row = try earliest() else { return }
    row.postpone(to: work.now.adding(seconds: Self.secondsUntilRetry))
    try row.update(work.database)
  }

  /// The delay before the store tries again to settle a subscription: one day.
  private static let secondsUntilRetry: Int64 = 86_400

  private func earliest() throws -> SubscriptionRow? {
    try SubscriptionRow.fetchOne(
      try work.database.cachedStatement(
        sql: "SELECT * FROM subscription WHERE dueDate IS NOT NULL ORDER BY dueDate, originalTransactionID LIMIT 1"))
  }
}
