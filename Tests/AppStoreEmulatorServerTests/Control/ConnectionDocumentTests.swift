import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The connection document", .timeLimit(.minutes(30)))
struct ConnectionDocumentTests {
  private func certificate(_ reply: Reply, _ name: String) throws -> Data {
    let text = try #require(reply.object[name] as? String)
    return try #require(Data(base64Encoded: text))
  }

  private func intermediates(_ reply: Reply) throws -> [Data] {
    let texts = try #require(reply.object["intermediateCertificates"] as? [String])
    return try texts.map { try #require(Data(base64Encoded: $0)) }
  }

  @Test("has every field of the contract, and no other")
  func fields() async throws {
    let bakery = try await BakeryServer()
    let app = try await bakery.store.app(BakeryServer.app)
    let authority = bakery.store.authority
    try await bakery.withClient { client async throws in
      let reply = try await client.get("/control/v1/connection")
      #expect(reply.status == 200)
      #expect(
        Set(reply.object.keys) == [
          "rootCertificate", "receiptRootCertificate", "tlsRootCertificate", "intermediateCertificates", "bundleId",
          "appAppleId", "issuerId", "keyId", "privateKey", "sharedSecret", "baseURLs",
        ])
      #expect(try Array(try certificate(reply, "rootCertificate")) == authority.jwsRootCertificate)
      #expect(try Array(try certificate(reply, "receiptRootCertificate")) == authority.receiptRootCertificate)
      #expect(try Array(try certificate(reply, "tlsRootCertificate")) == authority.tlsRootCertificate)
      #expect(reply.object["bundleId"] as? String == "org.example.bakery")
      #expect(reply.object["appAppleId"] as? Int64 == app.appAppleID)
      #expect(reply.object["issuerId"] as? String == app.issuerID)
      #expect(UUID(uuidString: app.issuerID) != nil)
      #expect(try reply.object["keyId"] as? String == authority.apiKeyID())
      #expect((reply.object["keyId"] as? String)?.count == 10)
      #expect(reply.object["sharedSecret"] as? String == app.sharedSecret)
      #expect(
        reply.object["baseURLs"] as? [String: String] == [
          "production": "http://localhost/production", "sandbox": "http://localhost/sandbox",
        ])
    }
  }

  @Test("names the address it was asked at, with which verifyReceipt is reached")
  func baseURLs() async throws {
    try await BakeryServer().listening { port async throws in
      let reply = try await send(.get, "/control/v1/connection", host: "127.0.0.1:\(port)", toPort: port)
      let base = try #require((reply.object["baseURLs"] as? [String: String])?["sandbox"])
      #expect(base == "http://127.0.0.1:\(port)/sandbox")
      let path = try #require(URL(string: base + "/verifyReceipt")).path
      let answer = try await send(.post, path, "{}", host: "127.0.0.1:\(port)", toPort: port)
      #expect(answer.object["status"] as? Int == 21002)
    }
  }

  @Test("G6 openssl accepts every certificate: roots by themselves, intermediates under their roots")
  func certificates() async throws {
    let bakery = try await BakeryServer()
    let folder = try ScratchFolder()
    let reply = try await bakery.withClient { try await $0.get("/control/v1/connection") }
    let roots = ["rootCertificate", "receiptRootCertificate", "tlsRootCertificate"]
    for name in roots {
      try folder.writeCertificates("\(name).pem", [try certificate(reply, name)])
      let outcome = try await folder.run("openssl", "verify", "-x509_strict", "-CAfile", "\(name).pem", "\(name).pem")
      #expect(outcome.status == 0, "\(name): \(outcome.output)")
    }
    let intermediates = try intermediates(reply)
    #expect(intermediates.count == 2)
    for (place, name) in ["rootCertificate", "receiptRootCertificate"].enumerated() {
      try folder.writeCertificates("intermediate.pem", [intermediates[place]])
      let outcome = try await folder.run(
        "openssl", "verify", "-x509_strict", "-CAfile", "\(name).pem", "intermediate.pem")
      #expect(outcome.status == 0, "\(name): \(outcome.output)")
      let other = try await folder.run(
        "openssl", "verify", "-x509_strict", "-CAfile", "tlsRootCertificate.pem", "intermediate.pem")
      #expect(other.status != 0)
    }
  }

  @Test("G6 a signed transaction's chain leads to the root it hands out, by openssl's judgement")
  func transactionChain() async throws {
    let bakery = try await BakeryServer()
    let folder = try ScratchFolder()
    let reply = try await bakery.withClient { try await $0.get("/control/v1/connection") }
    _ = try await bakery.store.register(BakeryServer.registration())
    _ = try await bakery.store.signIn(SignInCredentials(account: "customer"), on: "phone")
    try await bakery.order()
    let jws = try #require(try await bakery.store.unfinished(for: "phone").deliveries.first).signedTransaction
    let segment = String(try #require(jws.split(separator: ".").first))
    let standard = segment.replacing("-", with: "+").replacing("_", with: "/")
    let padded = standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)
    let header = try JSONSerialization.jsonObject(with: try #require(Data(base64Encoded: padded))) as? [String: Any]
    let texts = try #require(header?["x5c"] as? [String])
    let chain = try texts.map { try #require(Data(base64Encoded: $0)) }
    #expect(chain.count == 3)
    #expect(try chain.last == certificate(reply, "rootCertificate"))
    #expect(try chain[1] == intermediates(reply).first)
    try folder.writeCertificates("root.pem", [try certificate(reply, "rootCertificate")])
    try folder.writeCertificates("intermediate.pem", [chain[1]])
    try folder.writeCertificates("leaf.pem", [chain[0]])
    let outcome = try await folder.run(
      "openssl", "verify", "-x509_strict", "-attime", "1782907200", "-CAfile", "root.pem", "-untrusted",
      "intermediate.pem", "leaf.pem")
    #expect(outcome.status == 0, "\(outcome.output)")
  }

  @Test("the private key is a P-256 key in PKCS#8, which openssl reads and signs with")
  func privateKey() async throws {
    let bakery = try await BakeryServer()
    let folder = try ScratchFolder()
    let reply = try await bakery.withClient { try await $0.get("/control/v1/connection") }
    let key = try #require(reply.object["privateKey"] as? String)
    #expect(key.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    try folder.write("key.p8", Data(key.utf8))
    try folder.write("token", Data("header.payload".utf8))
    let shown = try await folder.run("openssl", "pkey", "-in", "key.p8", "-noout", "-text")
    #expect(shown.output.contains("prime256v1"), "\(shown.output)")
    let signed = try await folder.run("openssl", "dgst", "-sha256", "-sign", "key.p8", "-out", "signature", "token")
    #expect(signed.status == 0, "\(signed.output)")
  }

  @Test("of several apps the one named is described, and without a name the question is put")
  func severalApps() async throws {
    let bakery = try await BakeryServer()
    try await bakery.store.serve("org.example.mill & co", catalog: [])
    try await bakery.withClient { client async throws in
      let unnamed = try await client.get("/control/v1/connection")
      #expect((unnamed.status, unnamed.code) == (400, "bundleIdRequired"))
      #expect(unnamed.message.contains("org.example.bakery"))
      let named = try await client.get("/control/v1/connection?bundleId=org.example.mill%20%26%20co")
      #expect(named.object["bundleId"] as? String == "org.example.mill & co")
      let unknown = try await client.get("/control/v1/connection?bundleId=none")
      #expect((unknown.status, unknown.code) == (404, "unknownApp"))
    }
  }

  @Test("a store that serves no app has none to describe")
  func noApps() async throws {
    let store = try EmulatedAppStore(.inMemory())
    let server = try EmulatorServer(store: store, configuration: .init(), logger: BakeryServer.logger)
    let reply = try await server.application().test(.router) { try await $0.get("/control/v1/connection") }
    #expect((400..<500).contains(reply.status))
  }
}
