import Foundation
import HTTPTransport
import StoreModel
import Testing

@testable import PurchaseKit

@Suite("The client of the purchase server", .timeLimit(.minutes(30)))
struct PurchaseServerClientTests {
  @Test("simultaneous requests register one installation; after a restart none is registered again")
  func registeredOnce() async throws {
    let (server, keys) = (ScriptedServer(), MemoryVaultKeyStore())
    let client = server.client(keys: keys)
    #expect(client.customer == nil)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { _ = try await client.deliveries() } }
      try await group.waitForAll()
    }
    #expect(server.calls("/installations").count == 1)
    #expect(client.customer == ScriptedServer.customer)
    let relaunched = server.client(keys: keys)
    #expect(relaunched.customer == ScriptedServer.customer)
    _ = try await relaunched.deliveries()
    #expect(server.calls("/installations").count == 1)
    #expect(server.calls("/deliveries").allSatisfy { $0.fields["Authorization"] == "Bearer customer_1" })
  }

  @Test("a refused token is replaced once for all requests, and each request is sent again")
  func refusedToken() async throws {
    let (server, keys) = (ScriptedServer(), MemoryVaultKeyStore())
    let client = server.client(keys: keys)
    _ = try await client.deliveries()
    server.refuseTokens()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { _ = try await client.deliveries() } }
      try await group.waitForAll()
    }
    #expect(server.calls("/installations").count == 2)
    // If the server refuses the new token too, the client throws that error and does not register again.
    for _ in 0..<2 {
      server.once("/deliveries") { _, _ in
        .init(status: 401, body: Data(#"{"error": {"code": "signInAgain", "message": "Sign in."}}"#.utf8))
      }
    }
    await #expect(throws: PurchaseServerError.refused(.init(status: 401, code: "signInAgain", message: "Sign in."))) {
      _ = try await client.deliveries()
    }
    #expect(server.calls("/installations").count == 3)
  }

  private static func notNewer(_ server: ScriptedServer, times: Int) {
    for _ in 0..<times {
      server.once("/redemptions") { _, _ in
        let body = Data(#"{"error": {"code": "proofNotNewer", "message": "Ask again."}}"#.utf8)
        return .init(status: 409, fields: ["Retry-After": "2"], body: body)
      }
    }
  }

  @Test("F2 a receipt of the second of the registration is renewed after that second, once, and redeemed")
  func receiptOfTheSameSecond() async throws {
    let (server, clock, renewals) = (ScriptedServer(), SleeplessClock(), LockedValue(0))
    let client = PurchaseServerClient(
      ScriptedServer.address, bundleID: ScriptedServer.bundleID, device: nil,
      identity: .anonymous(MemoryVaultKeyStore()), transport: server,
      refreshReceipt: {
        renewals.withLock { $0 += 1 }
        if renewals.value == 3 { throw URLError(.notConnectedToInternet) }
        return Data("new".utf8)
      }, clock: clock)
    let purchase = PurchaseServerClient.ClaimedPurchase(transactionIdentifier: "1", productIdentifier: "a")
    Self.notNewer(server, times: 1)
    let redemption = try await client.redeem(.appReceipt(Data("old".utf8)), [purchase])
    #expect(redemption.purchases.first?.given != nil)
    #expect(clock.sleeps == [.seconds(2)] && renewals.value == 1)
    struct Sent: Decodable, Equatable {
      struct Proof: Decodable, Equatable { let appReceipt: Data? }
      let proof: Proof
    }
    let sent = try server.calls("/redemptions").map { try JSONDecoder().decode(Sent.self, from: $0.body ?? Data()) }
    #expect(sent.map(\.proof.appReceipt) == [Data("old".utf8), Data("new".utf8)])
    // A second refusal ends it.
    Self.notNewer(server, times: 2)
    let refused = await #expect(throws: PurchaseServerError.self) {
      try await client.redeem(.appReceipt(Data("old".utf8)), [purchase])
    }
    guard case .refused(let refusal)? = refused else { return #expect(Bool(false)) }
    #expect(refusal.code == "proofNotNewer" && refusal.meaning(isRestored: false) == .keep && refusal.isAboutProof)
    #expect(server.calls("/redemptions").count == 4 && renewals.value == 2)
    // Without a new receipt, the old one is sent again: the server accepts it if the store's clock stands.
    Self.notNewer(server, times: 1)
    #expect(
      try await client.redeem(.appReceipt(Data("old".utf8)), [purchase]).purchases.first?.given != nil)
    #expect(server.calls("/redemptions").count == 6)
    // A signed transaction cannot be renewed. It is sent again: the server accepts it if the store's clock stands.
    Self.notNewer(server, times: 1)
    #expect(try await client.redeem(.signedTransaction("x"), [purchase]).purchases.first?.given != nil)
    #expect(server.calls("/redemptions").count == 8 && renewals.value == 3)
  }

  @Test("a token is sent to no other server and for no other app")
  func otherServer() async throws {
    let (server, keys) = (ScriptedServer(), MemoryVaultKeyStore())
    _ = try await server.client(keys: keys).deliveries()
    for (address, app) in [("http://127.0.0.1:2", "com.example.reader"), ("http://127.0.0.1:1", "com.example.other")] {
      let url = try #require(URL(string: address))
      let other = PurchaseServerClient(
        url, bundleID: .init(app), device: nil, identity: .anonymous(keys), transport: server)
      #expect(other.customer == nil)
      _ = try await other.deliveries()
    }
    #expect(server.calls("/installations").count == 3)
  }

  @Test("with the operator's own identity system, the app's token is requested for each call")
  func identified() async throws {
    let server = ScriptedServer()
    let client = PurchaseServerClient(
      ScriptedServer.address, bundleID: ScriptedServer.bundleID, device: nil, identity: .identified { "a.b.c" },
      transport: server)
    #expect(try await client.identify() == ScriptedServer.customer)
    #expect(client.customer == ScriptedServer.customer)
    #expect(server.calls.map { $0.fields["Authorization"] } == ["Bearer a.b.c"])
  }

  @Test(
    "a stored token that cannot be read is an error, and no reason to register again: purchases would be lost",
    arguments: ["", "{}", "nothing of a token"])
  func unreadableToken(text: String) async throws {
    let (server, keys) = (ScriptedServer(), MemoryVaultKeyStore())
    let place = server.client().endpoints.app.absoluteString
    keys.save(Data(text.utf8), as: StoredInstallation.name(for: place))
    let client = server.client(keys: keys)
    #expect(client.customer == nil)
    await #expect {
      _ = try await client.deliveries()
    } throws: {
      "\($0)".contains(StoredInstallation.name(for: place))
    }
    #expect(server.calls.isEmpty)
    #expect(keys.load(StoredInstallation.name(for: place)) == Data(text.utf8))
  }

  @Test("a key store that is locked at launch causes an error until it is unlocked; then the installation is the same")
  func lockedKeys() async throws {
    let (server, keys) = (ScriptedServer(), LockableKeys())
    _ = try await server.client(keys: keys).deliveries()
    keys.isLocked = true
    let client = server.client(keys: keys)
    await #expect {
      _ = try await client.deliveries()
    } throws: {
      if case PurchaseServerError.identityUnreadable = $0 { true } else { false }
    }
    keys.isLocked = false
    _ = try await client.deliveries()
    #expect(client.customer == ScriptedServer.customer)
    #expect(server.calls("/installations").count == 1)
  }

  @Test("when another customer signs in, the customer is that of the new token")
  func switchedAccount() async throws {
    let server = ScriptedServer()
    let person = SignedInPerson(ScriptedServer.customer)
    let client = person.client(server)
    #expect(try await client.identify() == ScriptedServer.customer)
    let other = UUID()
    person.switches(to: other)
    // One request with the new token is enough for the client to notice the change.
    _ = try await client.deliveries()
    #expect(client.customer != ScriptedServer.customer)
    person.isAnswering(server)
    #expect(try await client.identify() == other)
    #expect(client.customer == other)
  }

  @Test("refusals keep the server's code, message and Retry-After; other servers' answers differ from network errors")
  func errors() async throws {
    let server = ScriptedServer()
    let client = server.client()
    server.once("/deliveries") { _, _ in
      .init(
        status: 503, fields: ["retry-after": "30"],
        body: Data(#"{"error": {"code": "storeUnavailable", "message": "Later."}}"#.utf8))
    }
    let busy = PurchaseServerError.refused(
      .init(status: 503, code: "storeUnavailable", message: "Later.", retryAfterSeconds: 30))
    await #expect(throws: busy) { _ = try await client.deliveries() }
    #expect(busy.isTemporary && busy.retryAfterSeconds == 30)
    server.once("/deliveries") { _, _ in .init(body: Data("<html>".utf8)) }
    await #expect {
      _ = try await client.deliveries()
    } throws: {
      if case PurchaseServerError.unintelligible = $0 { true } else { false }
    }
    server.once("/deliveries") { _, _ in throw HTTPFailure.noAnswer(reason: "cut") }
    await #expect(throws: PurchaseServerError.network(reason: "cut")) { _ = try await client.deliveries() }
    server.once("/deliveries") { _, _ in .init(status: 502, body: Data("Bad gateway".utf8)) }
    await #expect {
      _ = try await client.deliveries()
    } throws: {
      ($0 as? PurchaseServerError)?.isTemporary == true
    }
  }

  @Test("a link must lead to the server or an https address; a file, or http from an https server, is refused")
  func links() throws {
    let plain = ServerEndpoints(try #require(URL(string: "http://127.0.0.1:8090/shop")), "com.example.reader")
    let safe = ServerEndpoints(try #require(URL(string: "https://example.com")), "com.example.reader")
    #expect(plain.link("v1/downloads/x")?.absoluteString == "http://127.0.0.1:8090/shop/v1/downloads/x")
    #expect(safe.link("v1/downloads/x")?.absoluteString == "https://example.com/v1/downloads/x")
    #expect(safe.link("https://bucket.example/x?sig=1")?.absoluteString == "https://bucket.example/x?sig=1")
    for text in ["http://example.com/x", "file:///etc/passwd", "ftp://example.com/x"] {
      #expect(safe.link(text) == nil, "\(text)")
    }
  }
}

/// A key store that cannot be read while the device is locked.
private final class LockableKeys: VaultKeyStore {
  struct Locked: Error {}

  private let base = MemoryVaultKeyStore()
  private let locked = LockedValue(false)

  var isLocked: Bool {
    get { locked.value }
    set { locked.value = newValue }
  }

  func load(_ name: String) throws -> Data? {
    if isLocked { throw Locked() }
    return base.load(name)
  }

  func save(_ value: Data, as name: String) throws {
    if isLocked { throw Locked() }
    base.save(value, as: name)
  }

  func remove(_ name: String) throws { base.remove(name) }
}
