import SignedData
import StoreModel

/// The pages of a history, each requested when the loop reaches it.
///
/// The number of pages is the store's: leave the loop, or use `prefix(_:)`, to limit it.
public struct ServerAPIPages<Page: ServerAPIPage>: AsyncSequence, Sendable {
  public typealias Element = Page

  typealias Request = @Sendable (_ token: String?, _ environment: StoreEnvironment?) async throws -> Page

  let request: Request
  let token: String?
  let environment: StoreEnvironment?

  public func makeAsyncIterator() -> Iterator {
    Iterator(request: request, token: token, environment: environment)
  }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let request: Request
    fileprivate var token: String?
    fileprivate var environment: StoreEnvironment?
    fileprivate var isAtEnd = false

    public mutating func next() async throws -> Page? {
      guard !isAtEnd else { return nil }
      let page = try await request(token, environment)
      // All pages are of the environment that answered first.
      environment = page.environment
      if let next = page.nextToken {
        // Such a history would never end.
        guard next != token else { throw ServerAPIClientError.pagesDoNotAdvance(token: next) }
        token = next
      } else {
        isAtEnd = true
      }
      return page
    }
  }
}

/// A page of a history.
public protocol ServerAPIPage: Sendable {
  /// The environment that answered.
  var environment: StoreEnvironment { get }
  /// The token of the next page; nil on the last page.
  var nextToken: String? { get }
}

/// A page of transactions, verified.
public struct TransactionPage: ServerAPIPage {
  public let transactions: [Verified<SignedTransaction>]
  /// Where a later call goes on. It never expires, and belongs to ``environment``.
  public let revision: String
  public let hasMore: Bool
  public let environment: StoreEnvironment

  public var nextToken: String? { hasMore ? revision : nil }
}

/// A page of notifications, verified.
public struct NotificationPage: ServerAPIPage {
  public let notifications: [DeliveredNotification]
  public let nextToken: String?
  public let environment: StoreEnvironment
}

/// A page of notifications as the store has signed them. Their signatures are not checked.
public struct SignedNotificationPage: ServerAPIPage {
  public let notifications: [NotificationHistoryItem]
  public let nextToken: String?
  public let environment: StoreEnvironment
}

extension AppStoreServerAPIClient {
  /// Returns the pages of a customer's transactions (``GetTransactionHistory``).
  ///
  /// - Parameters:
  ///   - query: the filters, and the `revision` to go on from.
  ///   - environment: the environment of that `revision` (``TransactionPage/environment``); nil for the configured ones.
  public func transactionHistory(
    of id: TransactionID, _ query: TransactionHistoryQuery = TransactionHistoryQuery(),
    in environment: StoreEnvironment? = nil
  ) -> ServerAPIPages<TransactionPage> {
    ServerAPIPages(
      request: { revision, environment in
        var query = query
        query.revision = revision
        let call = GetTransactionHistory(anyTransactionId: id, query: query)
        let (answer, environment) = try await self.answer(to: call, in: environment)
        return TransactionPage(
          transactions: try await transactions(answer.signedTransactions, in: environment), revision: answer.revision,
          hasMore: answer.hasMore, environment: environment)
      }, token: query.revision, environment: environment)
  }

  /// Returns the pages of a customer's refunded transactions (``GetRefundHistory``).
  ///
  /// - Parameters:
  ///   - revision: where to go on; nil for the start.
  ///   - environment: the environment of `revision`; nil for the configured ones.
  public func refundHistory(
    of id: TransactionID, from revision: String? = nil, in environment: StoreEnvironment? = nil
  ) -> ServerAPIPages<TransactionPage> {
    ServerAPIPages(
      request: { revision, environment in
        let call = GetRefundHistory(anyTransactionId: id, revision: revision)
        let (answer, environment) = try await self.answer(to: call, in: environment)
        return TransactionPage(
          transactions: try await transactions(answer.signedTransactions, in: environment), revision: answer.revision,
          hasMore: answer.hasMore, environment: environment)
      }, token: revision, environment: environment)
  }

  /// Returns the pages of the app's notifications (``GetNotificationHistory``).
  ///
  /// - Parameter environment: the environment; nil for the configured ones. Without a transaction id, production answers
  ///   if both are configured.
  public func notificationHistory(
    _ request: NotificationHistoryRequest, in environment: StoreEnvironment? = nil
  ) -> ServerAPIPages<NotificationPage> {
    ServerAPIPages(
      request: { token, environment in
        let page = try await signedPage(request, token, environment)
        var notifications: [DeliveredNotification] = []
        for item in page.notifications {
          notifications.append(try await notification(item, in: page.environment))
        }
        return NotificationPage(
          notifications: notifications, nextToken: page.nextToken, environment: page.environment)
      }, token: nil, environment: environment)
  }

  /// Returns the same pages with unverified notifications. The caller verifies each, so that one that is refused does not hide
  /// the others.
  ///
  /// - Parameter environment: as for ``notificationHistory(_:in:)``.
  public func signedNotificationHistory(
    _ request: NotificationHistoryRequest, in environment: StoreEnvironment? = nil
  ) -> ServerAPIPages<SignedNotificationPage> {
    ServerAPIPages(
      request: { token, environment in try await signedPage(request, token, environment) }, token: nil,
      environment: environment)
  }

  private func signedPage(
    _ request: NotificationHistoryRequest, _ token: String?, _ environment: StoreEnvironment?
  ) async throws -> SignedNotificationPage {
    let call = GetNotificationHistory(request, paginationToken: token)
    let (answer, environment) = try await self.answer(to: call, in: environment)
    guard !answer.hasMore || answer.paginationToken != nil else {
      throw ServerAPIClientError.unreadableAnswer(detail: "there are more pages, but no paginationToken")
    }
    return SignedNotificationPage(
      notifications: answer.notificationHistory, nextToken: answer.hasMore ? answer.paginationToken : nil,
      environment: environment)
  }
}
