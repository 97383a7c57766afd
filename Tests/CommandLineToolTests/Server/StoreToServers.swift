import AppStoreEmulator
import AppStoreEmulatorServer
import Foundation
import StoreModel

/// Posts the store's notifications over HTTP to one of several servers after the other, as a load balancer does.
final class StoreToServers: NotificationTransport {
  private struct State: Sendable {
    var ports: [Int] = []
    var turn = 0
    var lost = 0
  }

  private let http = HTTPNotificationTransport()
  private let state = LockedValue(State())

  /// The address that the store has. It is replaced by that of a server.
  let address = URL(string: "http://servers.example/v1/apps/\(CoinStore.app)/notifications")!

  /// The number of notifications that no server has answered.
  var lost: Int { state.withLock { $0.lost } }

  /// Sets the ports of the servers that receive the notifications from now on.
  func lead(to ports: [Int]) { state.withLock { $0.ports = ports } }

  func post(_ body: Data, to url: URL) async throws(NotificationFailure) -> NotificationAnswer {
    let port = state.withLock { state in
      state.turn += 1
      return state.ports[state.turn % state.ports.count]
    }
    do {
      return try await http.post(body, to: URL(string: "http://127.0.0.1:\(port)\(url.path)")!)
    } catch {
      state.withLock { $0.lost += 1 }
      throw error
    }
  }
}
