import AppStoreServerAPI
import Crypto
import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Tokens of the Server API", .timeLimit(.minutes(30)))
struct ServerAPITokenTests {
  private func refused(
    _ server: TeaServer, _ authorization: String, _ parameters: [String: String] = ["transactionId": "7"]
  ) async throws -> String? {
    do {
      try await server.send(
        GetTransactionInfo.self, ServerAPIRequest(parameters: parameters), authorization: authorization)
      return nil
    } catch let error as UnauthenticatedRequest {
      #expect(error.response.status == 401)
      #expect(String(decoding: error.response.body ?? [], as: UTF8.self).hasPrefix("Unauthenticated"))
      let journaled = try #require(server.shop.store.requests().last)
      #expect((journaled.outcome, journaled.reason) == (.status(401), error.reasonForDeveloper))
      return error.reasonForDeveloper
    }
  }

  @Test(
    "a token without a fault is accepted; each other one is 401, before anything else is read, and the journal says why"
  )
  func tokens() async throws {
    let shop = try await TeaShop()
    let server = try await TeaServer(shop)
    let id = try await shop.order(TeaShop.oolong).record.transactionID
    _ = try await server.info(id)
    #expect(try await refused(server, "", ["transactionId": "no id"])?.contains("no header") == true)
    #expect(try await refused(server, "Basic x")?.contains("Bearer") == true)
    let other = ServerAPIKey(
      keyID: server.key.keyID, issuerID: server.key.issuerID, privateKey: P256.Signing.PrivateKey())
    func bearer(_ key: ServerAPIKey, _ app: BundleID = TeaShop.app, at date: StoreDate) throws -> String {
      "Bearer \(try key.token(for: app, at: date).text)"
    }
    let now = shop.clock.now
    #expect(try await refused(server, bearer(other, at: now))?.contains("signature") == true)
    let unknown = ServerAPIKey(keyID: "UNKNOWN", issuerID: server.key.issuerID, privateKey: P256.Signing.PrivateKey())
    #expect(try await refused(server, bearer(unknown, at: now))?.contains("kid") == true)
    let pem = try shop.store.authority.apiKey()
    let stranger = try ServerAPIKey(keyID: server.key.keyID, issuerID: UUID().uuidString, pem: pem)
    #expect(try await refused(server, bearer(stranger, at: now))?.contains("iss") == true)
    #expect(try await refused(server, bearer(server.key, "org.example.other", at: now))?.contains("bid") == true)
    #expect(try await refused(server, bearer(server.key, at: now.adding(seconds: -7_200)))?.contains("exp") == true)
    #expect(try await refused(server, bearer(server.key, at: now.adding(seconds: 600)))?.contains("future") == true)
  }

  @Test("a token is compared with the date of the machine, not with the store's clock")
  func wallTime() async throws {
    let shop = try await TeaShop()
    let server = try await TeaServer(shop)
    let id = try await shop.order(TeaShop.oolong).record.transactionID
    try await shop.advance(days: 400)
    #expect(try await server.info(id).transactionID == id)
  }

  @Test(
    "a key that was added is accepted until it is removed, only for its issuer; a reset keeps it; seeds give the same keys"
  )
  func keys() async throws {
    let shop = try await TeaShop()
    try await shop.store.serve("org.example.other", catalog: [TeaShop.file([])])
    let (added, pem) = try await shop.store.addAPIKey(for: TeaShop.app)
    let other = try await shop.store.addAPIKey(for: "org.example.other")
    let id = try await shop.order(TeaShop.oolong).record.transactionID
    let server = try await TeaServer(shop)
    let call = GetTransactionInfo(transactionId: id)
    func token(_ keyID: String, _ issuer: String?, _ pem: String) throws -> String {
      let key = try ServerAPIKey(keyID: keyID, issuerID: try #require(issuer), pem: pem)
      return "Bearer \(try key.token(for: TeaShop.app, at: shop.clock.now).text)"
    }
    try await server.send(call, authorization: token(added.keyID, added.issuerID, pem))
    let foreign = try token(other.key.keyID, other.key.issuerID, other.privateKey)
    #expect(try await refused(server, foreign)?.contains("bid") == true)
    #expect(try await shop.store.apiKeys().map(\.keyID).count == 3)
    await #expect(throws: AppStoreEmulatorError.keyNotRemovable(server.key.keyID)) {
      try await shop.store.removeAPIKey(server.key.keyID)
    }
    await #expect(throws: AppStoreEmulatorError.unknownKey("none")) { try await shop.store.removeAPIKey("none") }
    let again = try await TeaShop()
    try await again.store.serve("org.example.other", catalog: [TeaShop.file([])])
    #expect(try await again.store.addAPIKey(for: TeaShop.app).privateKey == pem)
    try await shop.store.reset()
    #expect(try await shop.store.apiKeys().contains(added))
    try await shop.store.removeAPIKey(added.keyID)
    #expect(try await refused(server, token(added.keyID, added.issuerID, pem))?.contains("kid") == true)
  }

  @Test(
    "with limits on, requests above them are 4290000, with the date of the next in UNIX milliseconds; each hour begins anew"
  )
  func limits() async throws {
    let shop = try await TeaShop()
    let server = try await TeaServer(shop)
    let call = RequestTestNotification()
    for _ in 0..<370 { #expect(try await server.code(call) == .serverNotificationURLNotFound) }
    try await shop.store.changeSettings { $0.rateLimits = true }
    for _ in 0..<360 { #expect(try await server.code(call) == .serverNotificationURLNotFound) }
    let error = await #expect(throws: RateLimitExceeded.self) { try await server.send(call) }
    let next = try #require(error?.response.headers["Retry-After"].flatMap(Int64.init))
    #expect(next % 3_600_000 == 0 && next > shop.clock.now.millisecondsSince1970)
    #expect(error?.response.status == 429 && error?.reasonForDeveloper?.contains("360") == true)
    shop.clock.advance(seconds: 3_600)
    #expect(try await server.code(call) == .serverNotificationURLNotFound)
  }
}
