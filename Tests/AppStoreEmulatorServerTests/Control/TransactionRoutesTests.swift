import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The transactions at the control API", .timeLimit(.minutes(30)))
struct TransactionRoutesTests {
  private static let hostile = [
    "100% tea & more=1", "O'Hara \"quoted\" \\ #?/", "<script>alert(1)</script>", "\u{202E}gnp.exe\u{1B}[31m", "+ plus",
    "ünïcode 🫖", String(repeating: "x", count: 10_000),
  ]

  private func query(_ items: [(String, String)]) throws -> String {
    // Encodes everything that is not a letter or a digit, so that no character has a meaning in the URL.
    try items.map { "\($0)=\(try #require($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics)))" }
      .joined(separator: "&")
  }

  /// Returns a bakery in which each customer with a hostile name has bought a loaf.
  private func bakery() async throws -> BakeryServer {
    let bakery = try await BakeryServer()
    for name in Self.hostile {
      try await bakery.store.addCustomer(Customer(environment: .sandbox, name: AccountName(name)))
      try await bakery.order(AccountName(name))
    }
    return bakery
  }

  @Test("a search finds hostile names as they are, and answers with them as they are", arguments: hostile)
  func search(name: String) async throws {
    let path = "/control/v1/transactions?\(try query([("search", name), ("withTotal", "true")]))"
    let bakery = try await bakery()
    // The length of a request's head is limited, so the longest name is searched by a part of it.
    let long = "/control/v1/transactions?search=xxxxxxxxxxxx"
    let reply = try await bakery.withClient { try await $0.get(name.count > 1_000 ? long : path) }
    #expect(reply.status == 200)
    #expect(reply.list("transactions").map { $0["customer"] as? String } == [name])
    #expect(reply.object["total"] as? Int == (name.count > 1_000 ? nil : 1))
  }

  @Test("pages follow each other by next, and the total counts all of them")
  func pages() async throws {
    let bakery = try await BakeryServer()
    for _ in 0..<5 { try await bakery.order() }
    try await bakery.withClient { client async throws in
      var (seen, next): ([Int], Int?) = ([], nil)
      repeat {
        let before = next.map { "&before=\($0)" } ?? ""
        let reply = try await client.get("/control/v1/transactions?limit=2&search=LOAF&withTotal=true\(before)")
        #expect(reply.object["total"] as? Int == 5)
        seen += reply.list("transactions").compactMap { $0["sequence"] as? Int }
        next = reply.object["next"] as? Int
      } while next != nil
      #expect(seen == [5, 4, 3, 2, 1])
    }
  }

  @Test("pages of charges and refunds follow each other by next", arguments: ["charges", "refunds"])
  func recordPages(list: String) async throws {
    let bakery = try await BakeryServer()
    var expected: [String] = []
    for _ in 0..<5 {
      let id = try await bakery.order().record.transactionID
      try await bakery.store.refund(id)
      expected.insert(id.rawValue, at: 0)
    }
    try await bakery.withClient { [expected] client async throws in
      var (seen, next): ([String], Int?) = ([], nil)
      repeat {
        let before = next.map { "&before=\($0)" } ?? ""
        let reply = try await client.get("/control/v1/\(list)?limit=2\(before)")
        seen += reply.list(list).compactMap { $0["transactionId"] as? String }
        next = reply.object["next"] as? Int
      } while next != nil
      #expect(seen == expected)
    }
  }

  @Test("state and product are asked for by name; what cannot be asked for is refused")
  func filters() async throws {
    let bakery = try await BakeryServer()
    let refunded = try await bakery.order().record.transactionID
    try await bakery.order()
    try await bakery.store.refund(refunded)
    try await bakery.withClient { client async throws in
      for (query, count) in [
        ("state=refunded", 1), ("state=unfinished", 1), ("state=finished", 0), ("productId=org.example.bakery.loaf", 2),
        ("productId=loaf", 0), ("search=", 2),
      ] {
        let reply = try await client.get("/control/v1/transactions?\(query)")
        #expect(reply.list("transactions").count == count, "\(query)")
      }
      #expect(try await client.get("/control/v1/refunds?state=refunded").list("refunds").count == 1)
      for query in ["state=gone", "state=", "before=x", "before=-1", "limit=0", "limit=1001", "withTotal=1", "q=x"] {
        let reply = try await client.get("/control/v1/transactions?\(query)")
        #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(query)")
      }
      #expect(try await client.get("/control/v1/charges?withTotal=true").code == "malformedRequest")
    }
  }

  @Test("H1 one transaction is returned with its charge, its refunds and its timeline")
  func one() async throws {
    let bakery = try await BakeryServer()
    _ = try await bakery.receipt()
    let stored = try #require(try await bakery.store.transactions().first)
    let id = stored.record.transactionID
    try await bakery.store.finish(id, for: try #require(stored.installationID))
    try await bakery.store.refund(id, percentage: 50_000)
    try await bakery.withClient { client async throws in
      let reply = try await client.get("/control/v1/transactions/\(id)")
      #expect(reply.status == 200)
      let transaction = try #require(reply.object["transaction"] as? [String: Any])
      #expect(transaction["transactionId"] as? String == id.rawValue)
      #expect(transaction["state"] as? String == "refunded")
      #expect((reply.object["charge"] as? [String: Any])?["amount"] as? Int == 3500)
      #expect(reply.list("refunds").map { $0["amount"] as? Int } == [1750])
      let story = reply.list("timeline").map { entry in
        (entry["request"] as? [String: Any])?["call"] as? String ?? entry["event"] as? String
      }
      #expect(story == ["quote", "confirm", "finish", "purchased", "finished", "refunded"])
      #expect(try await client.get("/control/v1/transactions/1").code == "unknownTransaction")
      #expect(try await client.get("/control/v1/transactions/one").code == "malformedRequest")
    }
  }
}
