import AppStoreServerAPI
import Foundation
import StoreModel

extension GetNotificationHistory: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<NotificationHistoryResponse> {
    let work = backend.work
    try content.check(at: work.now)
    let last = try NotificationPosition(paginationToken, in: work.epoch)
    var filter = NotificationHistoryFilter(
      bundleID: backend.app.bundleID, environment: backend.environment,
      dates: content.startDate...content.endDate)
    filter.type = content.notificationType?.known
    filter.subtype = content.notificationSubtype?.known
    if let id = content.transactionId ?? content.originalTransactionId {
      filter.account = try backend.customer(of: id).account
    }
    filter.onlyFailures = content.onlyFailures ?? false
    let (items, hasMore) = try work.notifications.history(
      filter, after: last.sequence, limit: NotificationHistoryResponse.pageSize)
    let token = hasMore ? items.last.map { NotificationPosition(epoch: work.epoch, sequence: $0.sequence) } : nil
    let answer = NotificationHistoryResponse(
      notificationHistory: items.map(\.item), hasMore: hasMore, paginationToken: token?.description)
    return { _ in answer }
  }
}

/// The end of a page of notifications.
private struct NotificationPosition: CustomStringConvertible {
  let epoch: StoreEpoch
  let sequence: Int64?

  init(epoch: StoreEpoch, sequence: Int64?) { (self.epoch, self.sequence) = (epoch, sequence) }

  /// - Parameter token: the `paginationToken` of a request; nil for the first page.
  /// - Throws: ``ServerAPIRefusal``. The tokens expire with the epoch, because a reset removes all notifications.
  init(_ token: String?, in epoch: StoreEpoch) throws(ServerAPIRefusal) {
    guard let token else {
      self.init(epoch: epoch, sequence: nil)
      return
    }
    guard let revision = StoreRevision(token) else {
      throw ServerAPIRefusal(.invalidPaginationToken, "the query's paginationToken is none of this store")
    }
    guard revision.epoch == epoch else {
      throw ServerAPIRefusal(
        .paginationTokenExpired, "the query's paginationToken is of before a reset or a restored snapshot")
    }
    self.init(epoch: epoch, sequence: revision.number)
  }

  var description: String { "\(StoreRevision(epoch: epoch, number: sequence ?? 0))" }
}

extension RequestTestNotification: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<SendTestNotificationResponse> {
    do {
      let sent = try backend.work.notifications.send(.test, to: backend.app.bundleID, in: backend.environment)
      return { _ in SendTestNotificationResponse(testNotificationToken: sent.uuid) }
    } catch let error as AppStoreEmulatorError {
      guard case .noNotificationURL = error else { throw error }
      throw ServerAPIRefusal(.serverNotificationURLNotFound, error.description)
    }
  }
}

extension GetTestNotificationStatus: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<NotificationHistoryItem> {
    guard UUID(uuidString: testNotificationToken) != nil else {
      throw ServerAPIRefusal(.invalidTestNotificationToken, "the path's testNotificationToken is not a UUID")
    }
    let item = try backend.work.notifications.testNotification(
      token: testNotificationToken.lowercased(), of: backend.app.bundleID, in: backend.environment)
    guard let item else {
      throw ServerAPIRefusal(
        .testNotificationNotFound, "no test notification has this token, it is too old, or was not attempted yet")
    }
    return { _ in item }
  }
}
