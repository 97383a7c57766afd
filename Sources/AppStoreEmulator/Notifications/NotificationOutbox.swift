import AppStoreServerAPI
import Foundation
import GRDB
import StoreModel

extension StoreUnitOfWork {
  var outbox: NotificationOutbox { NotificationOutbox(work: self) }
}

/// The server notifications that events cause, stored in the commit of the events. See Documentation/server-notifications.md.
///
/// Nothing is signed here. Apps without an address for notifications cost a comparison.
struct NotificationOutbox: EventProjection {
  let work: StoreUnitOfWork

  func append(_ events: [RecordedEvent]) throws {
    let events = try events.filter { try isNotified($0.event) }
    if events.isEmpty { return }
    let table = NotificationTable(events)
    for event in events.lazy.map(\.event) {
      guard let cause = table.cause(of: event) else { continue }
      if case .massExtensionCompleted(let row) = event {
        try append(cause, row)
        continue
      }
      guard let (stored, row) = try subject(of: event) else { continue }
      var reason: ConsumptionRequestReason?
      if case .refundRequested(_, let given) = event { reason = given }
      let app = try work.catalog.app(stored.record.bundleID)
      try append(cause, app, stored.record.environment, about: stored, row, reason: reason)
    }
  }

  /// The summary of an extension for all subscribers.
  private func append(_ cause: NotificationCause, _ row: MassExtensionRow) throws {
    let app = try work.catalog.app(row.bundleID)
    let summary = ExtensionSummary(
      requestIdentifier: row.requestIdentifier, environment: OpenEnum(row.environment),
      appAppleId: row.environment == .production ? app.appAppleID : nil, bundleId: row.bundleID,
      productId: row.productID, storefrontCountryCodes: try row.storefrontCountryCodes(),
      succeededCount: row.succeededCount, failedCount: row.failedCount)
    try append(cause, .summary(summary), row.bundleID, row.environment)
  }

  /// The transaction of a notification, and its subscription; nil if the event is of no purchase.
  private func subject(of event: StoreEvent) throws -> (StoredTransaction, SubscriptionRow?)? {
    if case .subscription(_, let row, _) = event {
      return (try work.storedTransaction(row.currentTransactionID), row)
    }
    return try event.transaction.map { ($0, try work.subscription(of: $0)) }
  }

  /// Whether the event is of an app and environment with an address for notifications.
  private func isNotified(_ event: StoreEvent) throws -> Bool {
    let subject: (BundleID, StoreEnvironment)? =
      switch event {
      case .subscription(_, let row, _): (row.bundleID, row.environment)
      case .massExtensionCompleted(let row): (row.bundleID, row.environment)
      default: event.transaction.map { ($0.record.bundleID, $0.record.environment) }
      }
    guard let (bundleID, environment) = subject else { return false }
    return try work.catalog.find(bundleID)?.hasNotifications(in: environment) == true
  }

  /// Stores a notification. Its first attempt is due now.
  ///
  /// - Returns: the stored row.
  @discardableResult
  func append(
    _ cause: NotificationCause, _ app: StoreApp, _ environment: StoreEnvironment, about stored: StoredTransaction?,
    _ row: SubscriptionRow?, reason: ConsumptionRequestReason? = nil
  ) throws -> NotificationRow {
    let (sequence, uuid) = try nextNumber()
    let contents = try work.notificationContents(
      cause, uuid: uuid, app: app, environment, about: stored, row, reason: reason)
    return try append(
      contents, sequence: sequence, app.bundleID, environment, stored)
  }

  /// Stores a notification with other contents than `data`, such as a summary.
  ///
  /// - Parameter content: must not contain signed data.
  @discardableResult
  func append(
    _ cause: NotificationCause, _ content: NotificationPayload.Content, _ bundleID: BundleID,
    _ environment: StoreEnvironment
  ) throws -> NotificationRow {
    let (sequence, uuid) = try nextNumber()
    let payload = NotificationPayload(
      notificationType: OpenEnum(cause.type), subtype: cause.subtype.map { OpenEnum($0) }, notificationUUID: uuid,
      signedDate: try work.takeSignedDate(), content: content)
    return try append(
      NotificationContents(payload: payload, transactionInfo: nil, renewalInfo: nil), sequence: sequence, bundleID,
      environment, nil)
  }

  private func append(
    _ contents: NotificationContents, sequence: Int64, _ bundleID: BundleID, _ environment: StoreEnvironment,
    _ stored: StoredTransaction?
  ) throws -> NotificationRow {
    let payload = contents.payload
    let row = NotificationRow(
      sequence: sequence, uuid: payload.notificationUUID, environment: environment, bundleID: bundleID,
      account: stored?.account, type: payload.notificationType.rawValue, subtype: payload.subtype?.rawValue,
      transactionID: stored?.record.transactionID, originalTransactionID: stored?.record.originalTransactionID,
      date: work.now, signedDate: payload.signedDate,
      payload: String(decoding: try payload.payloadBytes(), as: UTF8.self),
      transactionInfo: contents.transactionInfo.map { String(decoding: $0.payloadBytes(), as: UTF8.self) },
      renewalInfo: contents.renewalInfo.map { String(decoding: $0.payloadBytes(), as: UTF8.self) }, dueDate: work.now)
    try row.append(to: work.database)
    try removeOld()
    work.afterCommit(.wakeNotifications)
    return row
  }

  /// The next number, which is never used again, and the UUID that belongs to it.
  private func nextNumber() throws -> (sequence: Int64, uuid: String) {
    let last = try Int64.fetchOne(
      work.database.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = 'notification'"))
    let sequence = (last ?? 0) + 1
    let uuid =
      work.isSeeded ? work.identity.uuid("notification", work.epoch.rawValue, "\(sequence)") : UUID()
    return (sequence, uuid.uuidString.lowercased())
  }

  /// Removes some of the notifications that are too old. More are removed than are added, so all are removed in time.
  private func removeOld() throws {
    for isDelivered in [false, true] {
      try work.database.cachedStatement(
        sql: """
          DELETE FROM notification WHERE sequence IN (
            SELECT sequence FROM notification
            WHERE dueDate IS NULL AND isDelivered = ? AND date < ? ORDER BY date LIMIT 8)
          """
      ).execute(arguments: [
        isDelivered, work.now.adding(seconds: -NotificationRow.keptSeconds).millisecondsSince1970,
      ])
    }
  }
}
