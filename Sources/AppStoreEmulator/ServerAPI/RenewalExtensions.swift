import AppStoreServerAPI
import Foundation
import GRDB
import StoreModel

extension StoreUnitOfWork {
  var renewalExtensions: RenewalExtensions { RenewalExtensions(work: self) }
  var massExtensions: MassExtensions { MassExtensions(work: self) }
}

/// Extensions of renewal dates that the developer's server asks for.
struct RenewalExtensions {
  let work: StoreUnitOfWork

  /// The maximum number of extensions of a subscription in ``windowDays``.
  static let largestNumber = 2
  static let windowDays: Int64 = 365

  /// Extends the current period of a subscription, and of its family shares.
  ///
  /// - Returns: the transaction of the period.
  /// - Throws: ``ServerAPIRefusal`` if the subscription is not eligible.
  func extend(_ row: SubscriptionRow, byDays days: Int) throws -> StoredTransaction {
    if let refusal = try refusal(of: row) { throw refusal }
    let end = row.state.period.end.adding(seconds: Int64(days) * 86_400)
    guard StoreClock.dates.contains(end) else {
      throw ServerAPIRefusal(.subscriptionExtensionIneligible, "the store's certificates end before \(end)")
    }
    try work.subscriptionEffects.apply(.renewalDateExtended(to: end), to: row)
    return try work.storedTransaction(row.currentTransactionID)
  }

  /// The reason why a subscription cannot be extended; nil if it can.
  private func refusal(of row: SubscriptionRow) throws -> ServerAPIRefusal? {
    func ineligible(_ reason: String) -> ServerAPIRefusal {
      ServerAPIRefusal(.subscriptionExtensionIneligible, "subscription \(row.originalTransactionID) \(reason)")
    }
    guard row.state.state == .active else { return ineligible("is not active: \(row.state.state.rawValue)") }
    let current = try work.storedTransaction(row.currentTransactionID)
    guard current.record.price > .zero else { return ineligible("is in a free period, or has no paid one") }
    let since = work.now.adding(seconds: -Self.windowDays * 86_400)
    let count = try Int.fetchOne(
      work.database.cachedStatement(
        sql: "SELECT count(*) FROM subscriptionStep WHERE originalTransactionID = ? AND step = ? AND date > ?"),
      arguments: [
        row.originalTransactionID.rawValue, SubscriptionStep.renewalDateExtended.rawValue, since.millisecondsSince1970,
      ])
    guard count ?? 0 < Self.largestNumber else {
      return ServerAPIRefusal(
        .subscriptionMaxExtension,
        "subscription \(row.originalTransactionID) was extended \(count ?? 0) times within 365 days")
    }
    return nil
  }
}

/// Extensions for all active subscribers of a product. Each looks at one subscription after the other, when it is due, so that a
/// commit is bounded.
struct MassExtensions: DueRows {
  let work: StoreUnitOfWork

  /// The time from a request until the first subscription is extended, in seconds of the store.
  static let delaySeconds: Int64 = 60

  /// - Throws: ``ServerAPIRefusal`` if the app has no such subscription.
  func begin(
    _ request: MassExtendRenewalDateRequest, _ bundleID: BundleID, _ environment: StoreEnvironment
  ) throws {
    guard try find(request.requestIdentifier, bundleID, environment) == nil else { return }
    guard try work.catalog.product(request.productId, of: bundleID)?.definition.subscription != nil else {
      throw ServerAPIRefusal(.invalidProductId, "\(bundleID) has no auto-renewable subscription \(request.productId)")
    }
    let storefronts = try request.storefrontCountryCodes.map {
      String(decoding: try JSONEncoder().encode($0), as: UTF8.self)
    }
    var row = MassExtensionRow(
      environment: environment, bundleID: bundleID, requestIdentifier: request.requestIdentifier,
      productID: request.productId, days: request.extendByDays, reason: request.extendReasonCode.rawValue,
      storefronts: storefronts, date: work.now, dueDate: work.now.adding(seconds: Self.delaySeconds))
    try row.insert(work.database)
  }

  func find(
    _ requestIdentifier: String, _ bundleID: BundleID, _ environment: StoreEnvironment
  ) throws -> MassExtensionRow? {
    try MassExtensionRow.lookUp(
      [
        "bundleID": bundleID.rawValue, "environment": environment.rawValue, "requestIdentifier": requestIdentifier,
      ], in: work.database)
  }

  // MARK: Due rows

  static func earliestDate(in database: Database) throws -> StoreDate? {
    try earliestDate(of: "dueDate", in: MassExtensionRow.databaseTableName, database)
  }

  /// Extends one subscription, or ends the extension if there is no other.
  func settleEarliest() throws {
    guard var row = try earliest() else { return }
    guard let subscription = try next(row) else {
      (row.dueDate, row.completeDate) = (nil, work.now)
      try row.update(work.database)
      try work.events.record(.massExtensionCompleted(row))
      return
    }
    row.cursor = subscription.originalTransactionID.rawValue
    if try isSubscriber(subscription, row) {
      do {
        _ = try work.renewalExtensions.extend(subscription, byDays: row.days)
        row.succeededCount += 1
      } catch is ServerAPIRefusal {
        row.failedCount += 1
        try work.events.record(.extensionFailed(work.storedTransaction(subscription.currentTransactionID)))
      }
    }
    try row.update(work.database)
  }

  /// The subscription that could not be extended is skipped.
  func postponeEarliest() throws {
    guard var row = try earliest(), let subscription = try next(row) else { return }
    row.cursor = subscription.originalTransactionID.rawValue
    row.failedCount += 1
    try row.update(work.database)
  }

  private func earliest() throws -> MassExtensionRow? {
    try MassExtensionRow.filter(Column("dueDate") != nil).order(Column("dueDate"), Column("number"))
      .fetchOne(work.database)
  }

  private func next(_ row: MassExtensionRow) throws -> SubscriptionRow? {
    try SubscriptionRow.fetchOne(
      work.database.cachedStatement(
        sql: "SELECT * FROM subscription WHERE originalTransactionID > ? ORDER BY originalTransactionID LIMIT 1"),
      arguments: [row.cursor])
  }

  private func isSubscriber(_ subscription: SubscriptionRow, _ row: MassExtensionRow) throws -> Bool {
    guard subscription.bundleID == row.bundleID, subscription.environment == row.environment,
      subscription.state.productID == row.productID, subscription.state.state == .active
    else { return false }
    guard let codes = try row.storefrontCountryCodes() else { return true }
    return codes.contains(try work.storedTransaction(subscription.currentTransactionID).record.storefrontCountryCode)
  }
}
