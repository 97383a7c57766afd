import Foundation
import HTTPTransport
import Testing

@testable import PurchaseKit

@Suite("The installation with which the app authenticates", .timeLimit(.minutes(30)))
struct InstallationTests {
  private let server = ScriptedServer()
  private let keys = HeldKeys()
  private let earlier = UUID()

  private var item: String { StoredInstallation.name(for: server.client().endpoints.app.absoluteString) }

  private func kept(_ name: String? = nil) throws -> StoredInstallation? {
    try keys.load(name ?? item).map { try JSONDecoder().decode(StoredInstallation.self, from: $0) }
  }

  /// Makes the next `count` restores answer that the installation was joined with an earlier customer.
  private func join(_ count: Int = 1) {
    let body = #"{"customer": "\#(earlier.uuidString)", "environment": "Sandbox", "purchases": []}"#
    for _ in 0..<count { server.once("/restores") { _, _ in .init(body: Data(body.utf8)) } }
  }

  @Test("joined with another customer by several answers at once: saved once, and used before it is saved")
  func joinedOnce() async throws {
    let client = server.client(keys: keys)
    _ = try await client.deliveries()
    keys.holdsNext()
    join(5)
    let first = Task { try await client.restore(.appReceipt(Data())) }
    await keys.holding()
    #expect(client.customer == earlier)
    let others = (0..<4).map { _ in Task { try await client.restore(.appReceipt(Data())) } }
    // While the save is running, the client already has the joined customer.
    _ = try await client.deliveries()
    #expect(client.customer == earlier)
    keys.release()
    for task in [first] + others { _ = try await task.value }
    #expect(keys.saves == 2)
    #expect(try kept()?.customer == earlier)
    #expect(try kept()?.token == "customer_1")
  }

  @Test("joined, and not saved: the other customer is used all the same, and saved at the next answer")
  func notSaved() async throws {
    let client = server.client(keys: keys)
    _ = try await client.deliveries()
    keys.failsNext()
    join(2)
    await #expect(throws: HeldKeys.Full.self) { _ = try await client.restore(.appReceipt(Data())) }
    _ = try await client.deliveries()
    #expect(client.customer == earlier)
    #expect(try kept()?.customer == ScriptedServer.customer)
    _ = try await client.restore(.appReceipt(Data()))
    #expect(try kept()?.customer == earlier)
  }

  @Test("if a token is replaced while its predecessor is joined, the new token is kept")
  func replacedMeanwhile() async throws {
    let client = server.client(keys: keys)
    _ = try await client.deliveries()
    keys.holdsNext()
    join()
    let joined = Task { try await client.restore(.appReceipt(Data())) }
    await keys.holding()
    server.refuseTokens()
    let registered = AsyncStream.makeStream(of: Void.self)
    server.once("/installations") { _, usual in
      registered.continuation.yield()
      return usual
    }
    let asked = Task { try await client.deliveries() }
    _ = await registered.stream.first { _ in true }
    keys.release()
    _ = try await joined.value
    _ = try await asked.value
    #expect(try kept()?.token == "customer_2")
    #expect(keys.overlaps == 0)
  }

  @Test("a 401 of a gateway, not of the purchase server, does not cause a new registration")
  func foreignRefusal() async throws {
    let client = server.client(keys: keys)
    _ = try await client.deliveries()
    server.once("/deliveries") { _, _ in .init(status: 401, body: Data("Log in to the wireless network.".utf8)) }
    await #expect {
      _ = try await client.deliveries()
    } throws: {
      if case PurchaseServerError.refused(let refusal) = $0 { refusal.code == "http401" } else { false }
    }
    #expect(server.calls("/installations").count == 1)
    #expect(try kept()?.token == "customer_1")
  }

  @Test("a replaced token is kept as a copy")
  func putAside() async throws {
    let client = server.client(keys: keys)
    _ = try await client.deliveries()
    server.refuseTokens()
    _ = try await client.deliveries()
    #expect(try kept()?.token == "customer_2")
    #expect(try kept("\(item).aside-1")?.token == "customer_1")
  }

  @Test("a sign-in of another customer meanwhile is not reported as a network error")
  func somebodyElse() async throws {
    let person = SignedInPerson(UUID())
    let client = person.client(server)
    server.once("/customer") { _, usual in
      client.forgetCustomer()
      return usual
    }
    await #expect {
      _ = try await client.currentIdentity().customer
    } throws: {
      if let error = $0 as? PurchaseServerError { !error.isTemporary } else { false }
    }
  }
}
