import AppStoreEmulatorServer
import Foundation
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Secrets", .timeLimit(.minutes(10)))
struct SecretTests {
  @Test("no token, link, key or proof is in any line of the log, whatever is asked and however it fails")
  func log() async throws {
    var policy = StoreDoor.policy
    // The secret of a store with the same seed, which equals that of the room's store.
    let secret = try #require(try await BookStore().store.apps().first { $0.bundleID == BookStore.app }).sharedSecret
    policy.sharedSecret = SharedSecret(secret)
    let room = try await ReadingRoom(.init(method: .verifyReceipt(policy)))
    let phone = try await room.books.phone()
    let (reader, other) = (try await room.reader(on: phone), try await room.reader())
    let book = try await room.books.buy(BookStore.book, on: phone)
    let receipt = book.appReceipt.base64EncodedString()
    let secrets = try await room.listening { port, _ in
      func ask(_ method: String, _ path: String, _ token: String?, _ body: String = "") async throws -> String {
        let bearer = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        return try await RawConnection(toPort: port).exchange([
          "\(method) \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(bearer)"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        ])
      }
      let body = try order(book.proof, [book.id])
      let redeemed = try await ask("POST", "\(ReadingRoom.path)/redemptions", reader.token, body)
      let link = try #require(redeemed.firstMatch(of: /v1\/downloads\/([A-Za-z0-9_-]+)/)).1
      _ = try await ask("POST", "\(ReadingRoom.path)/redemptions", other.token, body)
      for mood in [StoreDoor.Mood.away, .status(21004), .status(21003)] {
        room.door.feel(mood)
        _ = try await ask("POST", "\(ReadingRoom.path)/redemptions", reader.token, body)
      }
      room.door.feel(.well)
      _ = try await ask("GET", "/v1/downloads/\(link)", nil)
      _ = try await ask("GET", "/v1/downloads/\(link)x", nil)
      for path in ["customer", "customer/export", "entitlements", "credits", "deliveries", "none", "%FF"] {
        for token in [reader.token, room.operatorKey, "customer_\(String(repeating: "z", count: 43))"] {
          _ = try await ask("GET", "\(ReadingRoom.path)/\(path)", token)
        }
      }
      let made = try await ask("POST", "/v1/operator/keys", room.operatorKey, #"{"name":"otto"}"#)
      let key = try #require(made.firstMatch(of: /operator_[A-Za-z0-9_-]{43}/)).0
      for path in ["keys", "audit", "customers?subject=secret%20name", "backups"] {
        _ = try await ask("GET", "/v1/operator/\(path)", String(key))
      }
      _ = try await ask("POST", "/v1/operator/backups", String(key))
      let installed = try await ask("POST", "\(ReadingRoom.path)/installations", nil, "{}")
      let token = try #require(installed.firstMatch(of: /customer_[A-Za-z0-9_-]{43}/)).0
      try FileManager.default.removeItem(at: room.folder.url.appending(path: "\(Sample.digest(ReadingRoom.audio))"))
      _ = try await ask("GET", "/v1/downloads/\(link)", nil)
      return [
        String(link), String(key), String(token), reader.token, other.token, room.operatorKey,
        String(repeating: "z", count: 43), secret, "secret%20name", "secret name",
      ]
    }
    let lines = room.log.lines
    #expect(lines.count > 40)
    #expect(lines.contains { $0.contains("The store has trouble") })
    for secret in secrets + [String(receipt.prefix(40)), String(receipt.suffix(40))] {
      #expect(!lines.contains { $0.contains(secret) }, "\(secret)")
    }
  }

  @Test("a line of the log is one line, whatever a client writes")
  func lines() async throws {
    let room = try await ReadingRoom()
    let reader = try await room.reader()
    try await room.doors { client in
      for path in ["/v1/%0a%0dERROR", "/none%0Aerror", "\(ReadingRoom.path)/credits/%0A/movements"] {
        _ = try await client.get(path, token: reader.token)
      }
      _ = try await client.post(
        "\(ReadingRoom.path)/redemptions",
        #"{"proof":{"signedTransaction":"a\nERROR b"},"purchases":[{"transactionId":"1","productId":"a\nERROR b"}]}"#,
        token: reader.token)
    }
    #expect(!room.log.lines.contains { $0.contains("\n") || $0.contains("ERROR") && $0.contains("\r") })
  }

  @Test(
    "an anonymous caller learns nothing of transactions and customers: all that is no one's to ask is answered alike")
  func enumeration() async throws {
    let room = try await ReadingRoom()
    let (reader, stranger) = (try await room.reader(), try await room.reader())
    let book = try await room.books.buy(BookStore.book, on: room.books.phone())
    try await room.doors { client in
      _ = try await client.redeem(book, token: reader.token)
      // Asks for a claimed purchase and for one that does not exist, with a proof of neither.
      let poem = try await room.books.buy(BookStore.poem, as: "p", on: room.books.phone("third"))
      var answers: Set<String> = []
      for id in [book.id, try #require(TransactionID(rawValue: "12345"))] {
        let reply = try await client.post(
          "\(ReadingRoom.path)/redemptions",
          order(["signedTransaction": poem.signedTransaction], [id]), token: stranger.token)
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
