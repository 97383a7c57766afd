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

/// Extensions for all active subscribers of a product. A due row settles one subscription, so that a commit is bounded. After
/// ``subscriptionsPerSecond`` of one, all extensions are due a second later at the earliest, so that no call waits for all of
/// them.
struct MassExtensions: DueRows {
  let work: StoreUnitOfWork

  /// The time from a request until the first subscription is extended, in seconds of the store.
  static let delaySeconds: Int64 = 60
  /// The number of subscriptions that are extended, or fail, in a second of the store.
  static let subscriptionsPerSecond: Int64 = 100
  /// The number of subscriptions of other storefronts that are passed over in a second of the store.
  static let othersPerSecond = 1_000

  /// Does nothing if the app has an extension with this identifier in this environment.
  ///
  /// - Returns: the extension with this identifier.
  /// - Throws: ``ServerAPIRefusal`` if the app has no such subscription.
  func begin(
    _ request: MassExtendRenewalDateRequest, _ bundleID: BundleID, _ environment: StoreEnvironment
  ) throws -> MassExtensionRow {
    if let earlier = try find(request.requestIdentifier, bundleID, environment) { return earlier }
    guard try work.catalog.product(request.productId, of: bundleID)?.definition.subscription != nil else {
      throw ServerAPIRefusal(.invalidProductId, "\(bundleID) has no auto-renewable subscription \(request.productId)")
    }
    let storefronts = try request.storefrontCountryCodes.map { codes in
      var known: Set<String> = []
      return String(decoding: try JSONEncoder().encode(codes.filter { known.insert($0).inserted }), as: UTF8.self)
    }
    var row = MassExtensionRow(
      environment: environment, bundleID: bundleID, requestIdentifier: request.requestIdentifier,
      productID: request.productId, days: request.extendByDays, reason: request.extendReasonCode.rawValue,
      storefronts: storefronts, date: work.now, dueDate: work.now.adding(seconds: Self.delaySeconds))
    try row.insert(work.database)
    return row
  }

  /// - Parameter requestIdentifier: a UUID. Its letter case does not matter.
  func find(
    _ requestIdentifier: String, _ bundleID: BundleID, _ environment: StoreEnvironment
  ) throws -> MassExtensionRow? {
    try MassExtensionRow.fetchOne(
      work.database.cachedStatement(
        sql: """
          SELECT * FROM massExtension
          WHERE bundleID = ? AND environment = ? AND requestIdentifier = ? COLLATE NOCASE ORDER BY number LIMIT 1
          """),
      arguments: [bundleID.rawValue, environment.rawValue, requestIdentifier])
  }

  // MARK: Due rows

  static func earliestDate(in database: Database) throws -> StoreDate? {
    try earliestDate(of: "dueDate", in: MassExtensionRow.databaseTableName, database)
  }

  /// Extends one subscription, passes over some of other storefronts, or ends the extension if there is no other.
  func settleEarliest() throws {
    guard var row = try earliest() else { return }
    guard let next = try next(row) else {
      (row.dueDate, row.completeDate) = (nil, work.now)
      try row.update(work.database)
      try work.events.record(.massExtensionCompleted(row))
      return
    }
    if next.isSubscriber, let subscription = try SubscriptionRow.fetchOne(work.database, key: next.id) {
      do {
        _ = try work.renewalExtensions.extend(subscription, byDays: row.days)
        row.succeededCount += 1
      } catch is ServerAPIRefusal {
        row.failedCount += 1
        try work.events.record(.extensionFailed(work.storedTransaction(subscription.currentTransactionID)))
      }
    }
    try move(&row, past: next)
  }

  /// The subscription that could not be extended is skipped.
  func postponeEarliest() throws {
    guard var row = try earliest(), let next = try next(row) else { return }
    if next.isSubscriber { row.failedCount += 1 }
    try move(&row, past: next)
  }

  private func earliest() throws -> MassExtensionRow? {
    try MassExtensionRow.filter(Column("dueDate") != nil).order(Column("dueDate"), Column("number"))
      .fetchOne(work.database)
  }

  private func move(_ row: inout MassExtensionRow, past next: Place) throws {
    row.cursor = next.id
    try row.update(work.database)
    if !next.isSubscriber || (row.succeededCount + row.failedCount) % Self.subscriptionsPerSecond == 0 { try pause() }
  }

  /// Makes all extensions due a second later at the earliest.
  private func pause() throws {
    try work.database.execute(
      sql: "UPDATE massExtension SET dueDate = ?1 WHERE dueDate < ?1",
      arguments: [work.now.adding(seconds: 1).millisecondsSince1970])
  }

  /// A place in the active subscriptions of a product: that of the next subscriber, or, if none of ``othersPerSecond`` has one
  /// of the storefronts, the last of these.
  private struct Place {
    /// The `originalTransactionID`.
    let id: String
    let isSubscriber: Bool
  }

  private func next(_ row: MassExtensionRow) throws -> Place? {
    let codes = try row.storefrontCountryCodes().map(Set.init)
    let rows = try Row.fetchCursor(
      work.database.cachedStatement(sql: Self.subscribersSQL),
      arguments: [row.bundleID.rawValue, row.environment.rawValue, row.productID.rawValue, row.cursor])
    var last: String?
    for _ in 0..<Self.othersPerSecond {
      guard let found = try rows.next() else { break }
      let id: String = found[0]
      if codes?.contains(found[1]) ?? true { return Place(id: id, isSubscriber: true) }
      last = id
    }
    return last.map { Place(id: $0, isSubscriber: false) }
  }

  /// The active subscriptions of a product, and the storefronts of their current periods. Only the rows that are used are
  /// read.
  static let subscribersSQL = """
    SELECT subscription.originalTransactionID, record.storefrontCountryCode
    FROM subscription CROSS JOIN transactionRecord AS record ON record.transactionID = subscription.currentTransactionID
    WHERE subscription.bundleID = ? AND subscription.environment = ? AND \(StoreSchema.activeProduct) = ?
      AND subscription.originalTransactionID > ?
    ORDER BY subscription.originalTransactionID
    """
}
