import AppStoreServerAPI
import Foundation
import StoreModel

/// Server notifications: see Documentation/server-notifications.md.
extension EmulatedAppStore {
  /// Sends notifications from now on, until the store is closed: those that are due, and later ones. A later call has no effect.
  ///
  /// ```swift
  /// store.deliverNotifications(over: NotificationFunction { notification in await server.receive(notification) })
  /// try await store.setNotificationURLs(NotificationURLs(sandbox: URL(string: "https://example.com/")), of: "com.example.game")
  /// ```
  public func deliverNotifications(over transport: any NotificationTransport) {
    let worker = NotificationWorker(
      NotificationWorker.Services(
        database: database, clock: clock, authority: authority, faults: faultRegistry,
        pipeline: OperationPipeline(
          store: services, middleware: [FaultMiddleware(faults: faultRegistry, clock: clock)]),
        policy: policy),
      transport: transport)
    notificationSending.begin(worker)
  }

  // MARK: Addresses

  /// The addresses to which the notifications of an app are sent.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownApp(_:known:)``.
  public func notificationURLs(of bundleID: BundleID) async throws -> NotificationURLs {
    try await database.read { try $0.catalog.app(bundleID).notificationURLs }
  }

  /// Changes the addresses of an app. Without an address, no notifications are made, and pending attempts are given up.
  ///
  /// - Throws: ``AppStoreEmulatorError`` if there is no such app, or notifications cannot be sent to an address.
  public func setNotificationURLs(_ urls: NotificationURLs, of bundleID: BundleID) async throws {
    try await database.write { try $0.notifications.setURLs(urls, of: bundleID) }
  }

  /// Sets both addresses of all apps, also of those that are served later.
  ///
  /// - Throws: ``AppStoreEmulatorError/invalidNotificationURL(_:reason:)``.
  public func setNotificationURL(_ url: URL?) async throws {
    try await database.write { try $0.notifications.setURLs(ofAllApps: url) }
  }

  // MARK: Notifications

  /// A page of the notifications: the newest first, or, after ``NotificationFilter/after``, the oldest first.
  public func notifications(_ filter: NotificationFilter = NotificationFilter()) async throws -> StoredNotificationPage
  {
    try await database.read { try $0.notifications.page(filter) }
  }

  /// - Throws: ``AppStoreEmulatorError/unknownNotification(_:)``.
  public func notification(_ uuid: String) async throws -> NotificationDetails {
    try await database.read { try $0.notifications.details(uuid) }
  }

  /// Sends a notification once more, with the same bytes.
  ///
  /// - Throws: ``AppStoreEmulatorError``.
  @discardableResult
  public func resendNotification(_ uuid: String) async throws -> StoredNotification {
    let worker = notificationSending.worker
    return try await database.write { work in
      let notification = try work.notifications.resend(uuid)
      worker?.noteResend(of: notification.sequence, on: work.now)
      return notification
    }
  }

  /// Sends a notification that no event caused. Its contents are the records of now.
  ///
  /// - Parameter transactionID: the transaction that it is about; nil for none.
  /// - Throws: ``AppStoreEmulatorError``.
  @discardableResult
  public func sendNotification(
    _ type: NotificationType, _ subtype: NotificationSubtype? = nil, about transactionID: TransactionID? = nil,
    to bundleID: BundleID, in environment: StoreEnvironment
  ) async throws -> StoredNotification {
    try await database.write {
      try $0.notifications.send(type, subtype, about: transactionID, to: bundleID, in: environment)
    }
  }

  // MARK: Sending

  /// How notifications are sent.
  public var notificationPolicy: NotificationPolicy { policy.value }

  /// Changes how notifications are sent.
  ///
  /// - Throws: ``AppStoreEmulatorError/impossibleNotification(reason:)`` for a delay that is out of range.
  @discardableResult
  public func changeNotificationPolicy(
    _ change: @Sendable (inout NotificationPolicy) -> Void
  ) throws(AppStoreEmulatorError) -> NotificationPolicy {
    let changed = try policy.withLock { policy throws(AppStoreEmulatorError) in
      var changed = policy
      change(&changed)
      guard NotificationPolicy.delays.contains(changed.delayMilliseconds) else {
        throw .impossibleNotification(reason: "its delay is not from 0 to 600000 milliseconds")
      }
      policy = changed
      return changed
    }
    database.notificationChanges.notify()
    storeActivity.note()
    return changed
  }

  /// Waits until all attempts that are due now by the store's clock are made. Held ones and retries of later dates do not count.
  ///
  /// - Parameter timeoutMilliseconds: the longest wait, of the machine's time.
  /// - Throws: ``AppStoreEmulatorError/notificationsNotSettled(waiting:)`` after that time; `CancellationError`.
  @discardableResult
  public func settleNotifications(timeoutMilliseconds: Int = 30_000) async throws -> NotificationCounts {
    try await NotificationWorker.settle(
      notificationSending.worker, database, policy, machine: clock.machine, milliseconds: timeoutMilliseconds)
  }
}

/// The worker of a store, and its task. The task ends with the store.
final class NotificationSending: Sendable {
  private let state = LockedValue<(worker: NotificationWorker, task: Task<Void, Never>)?>(nil)

  deinit { end() }

  var worker: NotificationWorker? { state.withLock { $0?.worker } }

  func begin(_ worker: NotificationWorker) {
    state.withLock { state in
      if state == nil { state = (worker, Task { await worker.run() }) }
    }
  }

  func end() { state.withLock { $0?.task.cancel() } }
}
