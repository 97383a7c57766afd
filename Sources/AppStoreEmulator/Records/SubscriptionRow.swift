import GRDB
import StoreModel

/// A customer's subscription in one group of an app.
struct SubscriptionRow: Codable, Equatable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "subscription"

  let originalTransactionID: TransactionID
  let environment: StoreEnvironment
  let bundleID: BundleID
  let account: AccountName
  let groupID: SubscriptionGroupID
  /// The transaction of the last charged period.
  var currentTransactionID: TransactionID
  private(set) var state: Subscription
  /// The date at which the store settles the next automatic event; nil if there is none. If the event could not be
  /// settled, a later date, at which the store tries again.
  private(set) var dueDate: StoreDate?
  /// Grows with each change that the signed renewal info shows: see ``Revisions``.
  var revision: Int64 = 0

  var scope: Scope { Scope(account: account, bundleID: bundleID, environment: environment) }

  init(
    _ state: Subscription, of scope: Scope, in groupID: SubscriptionGroupID, original: TransactionID,
    current: TransactionID
  ) {
    (originalTransactionID, currentTransactionID) = (original, current)
    (environment, bundleID, account) = (scope.environment, scope.bundleID, scope.account)
    (self.groupID, self.state, dueDate) = (groupID, state, state.dueDate)
  }

  mutating func change(to state: Subscription) { (self.state, dueDate) = (state, state.dueDate) }

  /// Sets a later date at which the store tries again to settle the event.
  mutating func postpone(to date: StoreDate) { dueDate = date }
}

/// A step of a subscription's history.
struct SubscriptionStepRow: Codable, Equatable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "subscriptionStep"

  var sequence: Int64?
  let originalTransactionID: TransactionID
  let step: SubscriptionStep
  let date: StoreDate
}

extension RenewalRecord {
  init(_ row: SubscriptionRow) {
    let state = row.state
    self.init(
      environment: row.environment, bundleID: row.bundleID, account: row.account, groupID: row.groupID,
      originalTransactionID: row.originalTransactionID, currentTransactionID: row.currentTransactionID,
      state: state.state, productID: state.productID, renewalProductID: state.renewalProductID,
      isAutoRenewOn: state.isAutoRenewOn, renewalPrice: state.renewalPrice, periodStart: state.period.start,
      periodEnd: state.period.end, accessEnd: state.accessEnd)
    priceIncrease = state.priceIncrease
    renewalOffer = state.isAutoRenewOn ? state.offerOfNextPeriod?.offer : nil
    (gracePeriodEnd, retryEnd, nextEventDate) = (state.graceEnd, state.retryEnd, row.dueDate)
    (expirationReason, revision) = (state.expirationReason, row.revision)
  }

  /// A step of the subscription's history.
  public struct Step: Hashable, Sendable {
    public let step: SubscriptionStep
    public let date: StoreDate
  }
}
