import AppStoreServerAPI
import Foundation
import GRDB
import StoreModel

extension StoreUnitOfWork {
  var notifications: NotificationRecords { NotificationRecords(work: self) }
}

/// The notifications of the store, and the addresses to which they are sent.
struct NotificationRecords {
  let work: StoreUnitOfWork

  /// The SQL condition for notifications that are not too old.
  private var isKept: String {
    let oldest = work.now.adding(seconds: -NotificationRow.keptSeconds).millisecondsSince1970
    return "(dueDate IS NOT NULL OR date >= \(oldest))"
  }

  // MARK: Addresses

  /// Changes the addresses of an app. The pending attempts of an environment without an address are given up.
  ///
  /// - Throws: ``AppStoreEmulatorError``.
  func setURLs(_ urls: NotificationURLs, of bundleID: BundleID) throws {
    try urls.check()
    var app = try work.catalog.app(bundleID)
    app.notificationURLs = urls
    try app.update(work.database)
    work.apps[bundleID] = app
    for environment in StoreEnvironment.allCases where urls[environment] == nil {
      try work.database.execute(
        sql: "UPDATE notification SET dueDate = NULL WHERE bundleID = ? AND environment = ? AND dueDate IS NOT NULL",
        arguments: [bundleID.rawValue, environment.rawValue])
    }
    work.afterCommit(.wakeNotifications)
  }

  /// Sets both addresses of all apps, also of those that are added later.
  func setURLs(ofAllApps url: URL?) throws {
    let urls = NotificationURLs(production: url, sandbox: url)
    for app in try work.catalog.apps() { try setURLs(urls, of: app.bundleID) }
    var row = try StoreRow.fetch(work.database)
    try row.updateChanges(work.database) { $0.notificationURL = url?.absoluteString }
  }

  // MARK: Reading

  /// - Throws: ``AppStoreEmulatorError/unknownNotification(_:)``.
  func details(_ uuid: String) throws -> NotificationDetails {
    let row = try row(uuid)
    return NotificationDetails(
      notification: StoredNotification(row, attempts: try attempts(of: row)), signedPayload: try signedPayload(row),
      payload: row.payload, transactionInfo: row.transactionInfo, renewalInfo: row.renewalInfo)
  }

  func page(_ filter: NotificationFilter) throws -> StoredNotificationPage {
    var conditions: [String] = [isKept]
    var arguments = StatementArguments()
    func add(_ condition: String, _ value: (any DatabaseValueConvertible)?) {
      guard let value else { return }
      conditions.append(condition)
      arguments += [value]
    }
    add("bundleID = ?", filter.bundleID?.rawValue)
    add("environment = ?", filter.environment?.rawValue)
    add("account = ?", filter.account?.rawValue)
    add("type = ?", filter.type?.rawValue)
    add("subtype = ?", filter.subtype?.rawValue)
    add("transactionID = ?", filter.transactionID?.rawValue)
    add("sequence < ?", filter.before)
    add("sequence > ?", filter.after)
    switch filter.state {
    case .waiting: conditions.append("NOT isDelivered AND dueDate IS NOT NULL")
    case .sent: conditions.append("isDelivered")
    case .failed: conditions.append("NOT isDelivered AND dueDate IS NULL")
    case nil: break
    }
    let rows = try NotificationRow.fetchAll(
      work.database,
      sql: """
        SELECT * FROM notification WHERE \(conditions.joined(separator: " AND "))
        ORDER BY sequence \(filter.after == nil ? "DESC" : "ASC") LIMIT ?
        """, arguments: arguments + [filter.limit + 1])
    let page = try rows.prefix(filter.limit).map { StoredNotification($0, attempts: try attempts(of: $0)) }
    return StoredNotificationPage(notifications: page, next: rows.count > filter.limit ? page.last?.sequence : nil)
  }

  /// The notifications of an app as they were sent, oldest first. Its end is the first notification that was not attempted yet, so
  /// that no later page misses it.
  ///
  /// - Parameters:
  ///   - last: the number of the last notification of the page before; nil for the first page.
  ///   - limit: the largest number of items.
  /// - Returns: the items of the page, each with its number, and whether there is another page.
  func history(
    _ filter: NotificationHistoryFilter, after last: Int64?, limit: Int
  ) throws -> (items: [(sequence: Int64, item: NotificationHistoryItem)], hasMore: Bool) {
    let scope: StatementArguments = [filter.bundleID.rawValue, filter.environment.rawValue]
    let unattempted = try Int64.fetchOne(
      work.database,
      sql: """
        SELECT min(sequence) FROM notification WHERE bundleID = ? AND environment = ? AND dueDate IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM notificationAttempt WHERE notification = notification.sequence)
        """, arguments: scope)
    let rows = try NotificationRow.fetchAll(
      work.database,
      sql: """
        SELECT * FROM notification
        WHERE bundleID = ? AND environment = ? AND date BETWEEN ? AND ? AND \(isKept) AND sequence > ? AND sequence < ?
          AND (?7 IS NULL OR type = ?7) AND (?8 IS NULL OR subtype = ?8) AND (?9 IS NULL OR account = ?9)
          AND (NOT ?10 OR NOT isDelivered)
        ORDER BY date, sequence LIMIT ?11
        """,
      arguments: scope + [
        filter.dates.lowerBound.millisecondsSince1970, filter.dates.upperBound.millisecondsSince1970, last ?? 0,
        unattempted ?? .max, filter.type?.rawValue, filter.subtype?.rawValue, filter.account?.rawValue,
        filter.onlyFailures, limit + 1,
      ])
    let items = try rows.prefix(limit).compactMap { row in try item(row).map { (row.sequence, $0) } }
    return (items, rows.count > limit)
  }

  /// A test notification and its attempts; nil if there is none with this token, or no attempt was made yet.
  func testNotification(
    token: String, of bundleID: BundleID, in environment: StoreEnvironment
  ) throws -> NotificationHistoryItem? {
    guard let row = try NotificationRow.lookUp(["uuid": token], in: work.database), isKept(row),
      row.type == NotificationType.test.rawValue, row.bundleID == bundleID, row.environment == environment
    else { return nil }
    return try item(row)
  }

  /// The largest number of attempts in an item of the history, as Apple documents it. There are more after resends.
  private static let mostAttempts = 6

  private func item(_ row: NotificationRow) throws -> NotificationHistoryItem? {
    let attempts = try attempts(of: row).map {
      SendAttempt(attemptDate: $0.date, sendAttemptResult: OpenEnum(rawValue: $0.result))
    }
    guard !attempts.isEmpty, let signedPayload = try signedPayload(row) else { return nil }
    return NotificationHistoryItem(
      signedPayload: signedPayload, sendAttempts: Array(attempts.suffix(Self.mostAttempts)),
      firstSendAttemptResult: attempts.first?.sendAttemptResult)
  }

  private func row(_ uuid: String) throws -> NotificationRow {
    guard let row = try NotificationRow.lookUp(["uuid": uuid.lowercased()], in: work.database), isKept(row) else {
      throw AppStoreEmulatorError.unknownNotification(uuid)
    }
    return row
  }

  private func isKept(_ row: NotificationRow) -> Bool {
    row.dueDate != nil || row.date >= work.now.adding(seconds: -NotificationRow.keptSeconds)
  }

  private func attempts(of row: NotificationRow) throws -> [NotificationAttemptRow] {
    try NotificationAttemptRow.fetchAll(
      work.database.cachedStatement(
        sql: "SELECT * FROM notificationAttempt WHERE notification = ? ORDER BY sequence"),
      arguments: [row.sequence])
  }

  /// The JWS of a notification; nil if it is not signed yet.
  func signedPayload(_ row: NotificationRow) throws -> String? {
    guard let number = row.header else { return nil }
    let header = try String.fetchOne(
      work.database.cachedStatement(sql: "SELECT header FROM notificationHeader WHERE number = ?"),
      arguments: [number])
    return header.flatMap(row.signedPayload)
  }

  /// How many notifications there are, by what became of them. Attempts that are due count as held.
  func counts() throws -> NotificationCounts {
    var counts = NotificationCounts()
    let row = try Row.fetchOne(
      work.database,
      sql: """
        SELECT
          (SELECT count(*) FROM notification WHERE dueDate IS NULL AND isDelivered AND date >= ?1) AS sent,
          (SELECT count(*) FROM notification WHERE dueDate IS NULL AND NOT isDelivered AND date >= ?1) AS failed,
          (SELECT count(*) FROM notification WHERE dueDate > ?2 AND NOT isDelivered) AS retried,
          (SELECT count(*) FROM notification WHERE dueDate > ?2 AND isDelivered) AS resent,
          (SELECT count(*) FROM notification WHERE dueDate <= ?2) AS due
        """,
      arguments: [
        work.now.adding(seconds: -NotificationRow.keptSeconds).millisecondsSince1970, work.now.millisecondsSince1970,
      ])
    guard let row else { return counts }
    counts.sent = (row["sent"] as Int) + (row["resent"] as Int)
    counts.failed = (row["failed"] as Int) + (row["retried"] as Int)
    counts.held = row["due"]
    return counts
  }

  // MARK: Sending again, and at will

  /// Makes another attempt due now.
  ///
  /// - Throws: ``AppStoreEmulatorError`` if there is no such notification, or no address to send it to.
  func resend(_ uuid: String) throws -> StoredNotification {
    var row = try row(uuid)
    guard try work.catalog.app(row.bundleID).hasNotifications(in: row.environment) else {
      throw AppStoreEmulatorError.noNotificationURL(row.bundleID, row.environment)
    }
    try row.updateChanges(work.database) { $0.dueDate = min($0.dueDate ?? work.now, work.now) }
    work.afterCommit(.wakeNotifications)
    return StoredNotification(row, attempts: try attempts(of: row))
  }

  /// Stores a notification that no event caused: `TEST`, or one that the operator chose.
  ///
  /// - Parameter transactionID: the transaction that it is about; nil for none.
  /// - Throws: ``AppStoreEmulatorError``.
  func send(
    _ type: NotificationType, _ subtype: NotificationSubtype? = nil, about transactionID: TransactionID? = nil,
    to bundleID: BundleID, in environment: StoreEnvironment
  ) throws -> StoredNotification {
    let app = try work.catalog.app(bundleID)
    guard app.hasNotifications(in: environment) else {
      throw AppStoreEmulatorError.noNotificationURL(bundleID, environment)
    }
    if let subtype, !type.subtypes.contains(subtype) {
      throw AppStoreEmulatorError.impossibleNotification(
        reason: "\(subtype.rawValue) is no subtype of \(type.rawValue)")
    }
    let stored = try transactionID.map { try transaction($0, of: bundleID, environment) }
    let cause = NotificationCause(type, subtype)
    if let content = try chosenContent(cause, app, environment, stored) {
      return StoredNotification(try work.outbox.append(cause, content, bundleID, environment), attempts: [])
    }
    let row = try work.outbox.append(
      cause, app, environment, about: stored, try stored.flatMap(work.subscription),
      reason: type == .consumptionRequest ? .other : nil)
    return StoredNotification(row, attempts: [])
  }

  private func transaction(
    _ id: TransactionID, of bundleID: BundleID, _ environment: StoreEnvironment
  ) throws -> StoredTransaction {
    guard let stored = try StoredTransaction.lookUp(["transactionID": id.rawValue], in: work.database) else {
      throw AppStoreEmulatorError.unknownTransaction(id)
    }
    guard stored.record.bundleID == bundleID, stored.record.environment == environment else {
      throw AppStoreEmulatorError.impossibleNotification(
        reason: "transaction \(id) is one of \(stored.record.bundleID) in \(stored.record.environment.rawValue)")
    }
    return stored
  }

  /// The content of a notification that has another member than `data`, with invented values; nil for `data`.
  private func chosenContent(
    _ cause: NotificationCause, _ app: StoreApp, _ environment: StoreEnvironment, _ stored: StoredTransaction?
  ) throws -> NotificationPayload.Content? {
    let (environmentValue, appAppleID) = (OpenEnum(environment), environment == .production ? app.appAppleID : nil)
    switch (cause.type, cause.subtype) {
    case (.renewalExtension, .summary):
      return .summary(
        ExtensionSummary(
          requestIdentifier: try inventedUUID("requestIdentifier"), environment: environmentValue,
          appAppleId: appAppleID, bundleId: app.bundleID, productId: stored?.record.productID ?? "product",
          succeededCount: 0, failedCount: 0))
    case (.externalPurchaseToken, _):
      let id = try inventedUUID("externalPurchaseId")
      var token = ExternalPurchaseToken(
        externalPurchaseId: environment == .sandbox ? "SANDBOX_\(id)" : id, tokenCreationDate: work.now,
        bundleId: app.bundleID)
      token.appAppleId = app.appAppleID
      return .externalPurchaseToken(token)
    case (.rescindConsent, _):
      return .appData(
        NotificationAppData(appAppleId: appAppleID, bundleId: app.bundleID, environment: environmentValue))
    case (.unclaimSeats, _): return .unclaimInfo(UnclaimInfo(unclaimSeatIds: [try inventedUUID("seat")]))
    default: return nil
    }
  }

  private func inventedUUID(_ purpose: String) throws -> String {
    work.identity.uuid(purpose, work.epoch.rawValue, "\(work.now.millisecondsSince1970)").uuidString.lowercased()
  }
}
