import AppStoreEmulator
import Foundation
import OpenStoreKit
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("Stopping a server with waiting requests", .timeLimit(.minutes(30)))
struct ShutdownTests {
  /// Sleeps until it is cancelled, so that no wait in these tests ends because of time.
  private static let forEver: @Sendable (Duration) async -> Void = { _ in
    for await _ in AsyncStream<Void>.makeStream().stream {}
  }

  private func connection(_ port: Int) throws -> HTTPAppStoreConnection {
    HTTPAppStoreConnection(try #require(URL(string: "http://127.0.0.1:\(port)")), timeoutSeconds: 600)
  }

  @Test("stops at once though a device waits for changes; the device is answered")
  func longPoll() async throws {
    let bakery = try await BakeryServer(sleep: Self.forEver)
    let phone = BakeryServer.registration().installationID
    _ = try await bakery.store.register(BakeryServer.registration())
    let poll = try await bakery.listening { port async throws in
      let connection = try connection(port)
      let poll = Task { try await connection.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 60, for: phone) }
      _ = try await bakery.store.request(RequestFilter(.device(.changes)))
      return poll
    }
    #expect(try await poll.value.changes.isEmpty)
    #expect(bakery.store.requests(RequestFilter(.device(.changes))).map(\.outcome) == [.answered])
  }

  @Test("stops at once though a fault holds a request; it ends without an answer, and was not done")
  func heldRequest() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    _ = try await store.register(BakeryServer.registration())
    try store.set(Fault(HeldRequestFault(), id: "hold", scope: FaultScope(calls: [.device(.signIn)])))
    let held = try await bakery.listening { port async throws in
      let connection = try connection(port)
      let held = Task { try await connection.signIn(SignInCredentials(account: "customer"), on: "phone") }
      try await store.untilFault("hold")
      return held
    }
    do {
      _ = try await held.value
      Issue.record("a held request was answered")
    } catch StoreConnectionFailure.noAnswer {
    }
    #expect(try await store.installations().map(\.account) == [nil])
    #expect(store.requests(RequestFilter(.device(.signIn))).map(\.outcome) == [.noAnswer])
    #expect(try store.fault("hold").waiting == 0)
  }

  @Test("a device that hangs up while it waits for changes is noticed")
  func hangsUp() async throws {
    let bakery = try await BakeryServer(sleep: Self.forEver)
    let phone = BakeryServer.registration().installationID
    _ = try await bakery.store.register(BakeryServer.registration())
    try await bakery.listening { port async throws in
      let connection = try connection(port)
      let poll = Task { try await connection.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 60, for: phone) }
      _ = try await bakery.store.request(RequestFilter(.device(.changes)))
      poll.cancel()
      _ = try await bakery.store.request(RequestFilter(.device(.changes), outcome: .answered))
      _ = await poll.result
    }
  }
}
