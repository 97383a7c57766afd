import AppStoreServerAPI
import Foundation
import HummingbirdTesting
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseServer

/// Receives the notifications of an emulated store in this process, and passes them on as the test decides.
final class NotificationMailbox: NotificationTransport {
  typealias Delivery = @Sendable (_ body: Data) async throws -> Int

  private struct State: Sendable {
    var bodies: [String] = []
    var deliver: Delivery = { _ in 200 }
  }

  private let state = LockedValue(State())

  /// Decides what happens to each further notification: an HTTP status, or a ``NotificationFailure``.
  func deliver(_ deliver: @escaping Delivery) { state.withLock { $0.deliver = deliver } }

  /// The bodies that were posted since the last call.
  func take() -> [String] {
    state.withLock { state in
      defer { state.bodies = [] }
      return state.bodies
    }
  }

  func post(_ body: Data, to url: URL) async throws(NotificationFailure) -> NotificationAnswer {
    let deliver = state.withLock { state in
      state.bodies.append(String(decoding: body, as: UTF8.self))
      return state.deliver
    }
    do {
      return NotificationAnswer(status: try await deliver(body))
    } catch {
      throw error as? NotificationFailure ?? NotificationFailure(.other, "\(error)")
    }
  }
}

extension BookStore {
  /// Sends the notifications of all apps to a mailbox from now on.
  func mailbox() async throws -> NotificationMailbox {
    let mailbox = NotificationMailbox()
    try await store.setNotificationURL(URL(string: "https://server.example/notifications"))
    store.deliverNotifications(over: mailbox)
    return mailbox
  }

  /// The notifications that the store has posted since the last call.
  func posted(to mailbox: NotificationMailbox) async throws -> [String] {
    try await store.settleNotifications(timeoutMilliseconds: 600_000)
    return mailbox.take()
  }

  /// Signs a notification as this store does.
  func signed(_ payload: NotificationPayload) throws -> String {
    try store.authority.signJWS(payload: payload.payloadBytes(), at: payload.signedDate)
  }
}

extension TestClientProtocol {
  func notify(_ body: String, app: BundleID = BookStore.app) async throws -> Reply {
    try await post("/v1/apps/\(app)/notifications", body)
  }
}

extension ServerFixture {
  /// The notifications that the ledger has, the newest first.
  func received() async throws -> [[String: Any]] {
    let (client, path) = (self, "/v1/operator/apps/\(BookStore.app)/notifications")
    return try await client.withClient { try await $0.get(path, token: client.operatorKey) }.list("notifications")
  }
}

/// Returns the `signedPayload` of a body.
func signedPayload(of body: String) throws -> String {
  try JSONDecoder().decode(SignedNotification.self, from: Data(body.utf8)).signedPayload
}

func notificationBody(_ signedPayload: String) throws -> String { try json(["signedPayload": signedPayload]) }
