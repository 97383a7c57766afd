import AppStoreServerAPI
import Foundation
import SignedData
import StoreModel

@testable import AppStoreEmulator

/// A developer's server: it receives notifications, and answers as the test decides.
final class NotificationReceiver: NotificationTransport {
  struct Delivery: Sendable {
    let url: URL
    let body: Data
    /// Nil if the body is damaged.
    let notification: DecodedNotification?
  }

  private struct State: Sendable {
    var deliveries: [Delivery] = []
    var answer: @Sendable (URL) async throws -> Int = { _ in 200 }
  }

  private let state = LockedValue(State())

  /// What was delivered since the last call.
  func take() -> [Delivery] {
    state.withLock { state in
      defer { state.deliveries = [] }
      return state.deliveries
    }
  }

  /// Decides what is answered from now on: an HTTP status, or a ``NotificationFailure``.
  func answer(_ answer: @escaping @Sendable (URL) async throws -> Int) { state.withLock { $0.answer = answer } }

  func post(_ body: Data, to url: URL) async throws(NotificationFailure) -> NotificationAnswer {
    let answer = state.withLock { state in
      state.deliveries.append(Delivery(url: url, body: body, notification: try? DecodedNotification(body)))
      return state.answer
    }
    do {
      return NotificationAnswer(status: try await answer(url), body: Data("thanks".utf8))
    } catch let failure as NotificationFailure {
      throw failure
    } catch {
      throw NotificationFailure(.other, "\(error)")
    }
  }
}

/// A notification as a server reads it, without a check of its signatures.
struct DecodedNotification: Sendable {
  let payload: NotificationPayload
  let data: NotificationData?
  let transaction: SignedTransaction?
  let renewalInfo: SignedRenewalInfo?

  init(_ body: Data) throws {
    try self.init(jws: JSONDecoder().decode(SignedNotification.self, from: body).signedPayload)
  }

  init(jws: String) throws {
    payload = try JSONDecoder().decode(NotificationPayload.self, from: Data(Self.payload(of: jws)))
    guard case .data(let data) = payload.content else {
      (data, transaction, renewalInfo) = (nil, nil, nil)
      return
    }
    self.data = data
    transaction = try data.signedTransactionInfo.map { try UnverifiedJWS($0).transaction() }
    renewalInfo = try data.signedRenewalInfo.map { try SignedRenewalInfo(payload: Self.payload(of: $0)) }
  }

  private static func payload(of jws: String) throws -> [UInt8] {
    let part = String(jws.split(separator: ".")[1]).replacing("-", with: "+").replacing("_", with: "/")
    let padded = part + String(repeating: "=", count: (4 - part.count % 4) % 4)
    guard let bytes = Data(base64Encoded: padded) else {
      throw AppStoreEmulatorError.impossibleNotification(reason: jws)
    }
    return Array(bytes)
  }

  /// Its type and subtype, such as `SUBSCRIBED/INITIAL_BUY`.
  var name: String {
    ([payload.notificationType.rawValue] + [payload.subtype?.rawValue].compactMap(\.self)).joined(separator: "/")
  }
}

extension TeaShop {
  static let server = URL(string: "https://server.example/notifications")!

  /// A shop that sends its notifications to a receiver, those of both environments.
  static func notifying(
    directory: URL? = nil, over receiver: NotificationReceiver, seed: UInt64 = 7,
    sleep: (@Sendable (Duration) async -> Void)? = nil
  ) async throws -> TeaShop {
    let shop = try await TeaShop(seed: seed, directory: directory, sleep: sleep)
    if try await shop.store.notificationURLs(of: app) == NotificationURLs() {
      try await shop.sell(lastingCatalog())
      try await shop.store.setNotificationURL(server)
    }
    shop.store.deliverNotifications(over: receiver)
    return shop
  }

  @discardableResult
  func purchase(
    _ product: ProductID = TeaShop.oolong, for account: AccountName = TeaShop.customer,
    in environment: StoreEnvironment = .sandbox
  ) async throws -> TransactionID {
    try await store.purchase(product, of: Self.app, for: account, in: environment).record.transactionID
  }

  func advance(hours: Int64) async throws {
    try await store.changeClock(.advance(milliseconds: hours * 3_600_000))
  }

  /// All notifications of the store, oldest first.
  func notifications() async throws -> [StoredNotification] {
    var filter = NotificationFilter()
    (filter.after, filter.limit) = (0, 10_000)
    return try await store.notifications(filter).notifications
  }
}
