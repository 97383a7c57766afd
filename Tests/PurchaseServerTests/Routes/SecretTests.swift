import AppStoreEmulatorServer
import Foundation
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Secrets", .timeLimit(.minutes(30)))
struct SecretTests {
  @Test("no token, link, key or proof is logged, whatever is requested and however it fails")
  func log() async throws {
    var policy = TestReceiptServer.policy
    // The secret of a store with the same seed, which equals that of the room's store.
    let secret = try #require(try await BookStore().store.apps().first { $0.bundleID == BookStore.app }).sharedSecret
    policy.sharedSecret = SharedSecret(secret)
    let fixture = try await ServerFixture(.init(method: .verifyReceipt(policy)))
    let phone = try await fixture.bookStore.phone()
    let (reader, other) = (try await fixture.reader(on: phone), try await fixture.reader())
    let book = try await fixture.bookStore.buy(BookStore.book, on: phone)
    let receipt = book.appReceipt.base64EncodedString()
    let secrets = try await fixture.listening { port, _ in
      func ask(_ method: String, _ path: String, _ token: String?, _ body: String = "") async throws -> String {
        let bearer = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        return try await RawConnection(toPort: port).exchange([
          "\(method) \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(bearer)"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        ])
      }
      let body = try redemptionBody(book.proof, [book.id])
      let redeemed = try await ask("POST", "\(ServerFixture.path)/redemptions", reader.token, body)
      let link = try #require(redeemed.firstMatch(of: /v1\/downloads\/([A-Za-z0-9_-]+)/)).1
      _ = try await ask("POST", "\(ServerFixture.path)/redemptions", other.token, body)
      for behavior in [TestReceiptServer.Behavior.unreachable, .status(21004), .status(21003)] {
        fixture.receiptServer.behavior = behavior
        _ = try await ask("POST", "\(ServerFixture.path)/redemptions", reader.token, body)
      }
      fixture.receiptServer.behavior = .normal
      _ = try await ask("GET", "/v1/downloads/\(link)", nil)
      _ = try await ask("GET", "/v1/downloads/\(link)x", nil)
      for path in ["customer", "customer/export", "entitlements", "credits", "deliveries", "none", "%FF"] {
        for token in [reader.token, fixture.operatorKey, "customer_\(String(repeating: "z", count: 43))"] {
          _ = try await ask("GET", "\(ServerFixture.path)/\(path)", token)
        }
      }
      let made = try await ask("POST", "/v1/operator/keys", fixture.operatorKey, #"{"name":"otto"}"#)
      let key = try #require(made.firstMatch(of: /operator_[A-Za-z0-9_-]{43}/)).0
      for path in ["keys", "audit", "customers?subject=secret%20name", "backups"] {
        _ = try await ask("GET", "/v1/operator/\(path)", String(key))
      }
      _ = try await ask("POST", "/v1/operator/backups", String(key))
      let installed = try await ask("POST", "\(ServerFixture.path)/installations", nil, "{}")
      let token = try #require(installed.firstMatch(of: /customer_[A-Za-z0-9_-]{43}/)).0
      try FileManager.default.removeItem(
        at: fixture.folder.url.appending(path: "\(Sample.digest(ServerFixture.audio))"))
      _ = try await ask("GET", "/v1/downloads/\(link)", nil)
      return [
        String(link), String(key), String(token), reader.token, other.token, fixture.operatorKey,
        String(repeating: "z", count: 43), secret, "secret%20name", "secret name",
      ]
    }
    let lines = fixture.log.lines
    #expect(lines.count > 40)
    #expect(lines.contains { $0.contains("A request to the store failed") })
    for secret in secrets + [String(receipt.prefix(40)), String(receipt.suffix(40))] {
      #expect(!lines.contains { $0.contains(secret) }, "\(secret)")
    }
  }

  @Test("a log entry is one line, whatever a client sends")
  func lines() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    try await fixture.withClient { client in
      for path in ["/v1/%0a%0dERROR", "/none%0Aerror", "\(ServerFixture.path)/credits/%0A/movements"] {
        _ = try await client.get(path, token: reader.token)
      }
      _ = try await client.post(
        "\(ServerFixture.path)/redemptions",
        #"{"proof":{"signedTransaction":"a\nERROR b"},"purchases":[{"transactionId":"1","productId":"a\nERROR b"}]}"#,
        token: reader.token)
    }
    #expect(!fixture.log.lines.contains { $0.contains("\n") || $0.contains("ERROR") && $0.contains("\r") })
  }

  @Test(
    "an anonymous caller learns nothing about transactions and customers: all such requests have the same answer")
  func enumeration() async throws {
    let fixture = try await ServerFixture()
    let (reader, stranger) = (try await fixture.reader(), try await fixture.reader())
    let book = try await fixture.bookStore.buy(BookStore.book, on: fixture.bookStore.phone())
    try await fixture.withClient { client in
      _ = try await client.redeem(book, token: reader.token)
      // Asks for a claimed purchase and for one that does not exist, with a proof of neither.
      let poem = try await fixture.bookStore.buy(BookStore.poem, as: "p", on: fixture.bookStore.phone("third"))
      var answers: Set<String> = []
      for id in [book.id, try #require(TransactionID(rawValue: "12345"))] {
        let reply = try await client.post(
          "\(ServerFixture.path)/redemptions",
          redemptionBody(["signedTransaction": poem.signedTransaction], [id]), token: stranger.token)
        answers.insert("\(reply.status) \(reply.code ?? "")")
      }
      #expect(answers == ["422 notInProof"])
      var operators: Set<String> = []
      for path in ["customers/\(reader.customer)", "customers/\(UUID())", "customers?transactionId=\(book.id)"] {
        let reply = try await client.get("/v1/operator/\(path)", token: stranger.token)
        operators.insert("\(reply.status) \(reply.text)")
      }
      #expect(operators.count == 1)
      var downloads: Set<String> = []
      for token in ["x", String(repeating: "A", count: 130), "..", "%00", "%2e%2e%2fledger.sqlite"] {
        let reply = try await client.get("/v1/downloads/\(token)")
        downloads.insert("\(reply.status)")
      }
      #expect(downloads.isSubset(of: ["404", "400"]))
    }
  }
}
