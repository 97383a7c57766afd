import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

/// Products, customers and titles come from anybody.
@Suite("Hostile names at the control API", .timeLimit(.minutes(30)))
struct HostileNameTests {
  private static let names = [
    "<script>alert('1')</script>", "\"quoted\" \\ and 'single'", "\u{202E}gnp.esrever", "\u{1B}[31mred\u{7}\r\n",
    "'; DROP TABLE customer; --", "a/b?c=d&e#f%2F..%00", "../../etc/passwd", "🫖é\u{301}\u{301}",
    String(repeating: "長", count: 1_000), String(repeating: "x", count: 10_000),
  ]

  private static func segment(_ text: String) throws -> String {
    try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
  }

  @Test("are stored, listed, bought, refunded and shown unchanged", arguments: names)
  func kept(name: String) async throws {
    let bakery = try await BakeryServer()
    let product: [String: any Sendable] = [
      "productID": name, "type": "Consumable", "displayPrice": "1", "referenceName": name,
      "localizations": [["locale": "en_US", "displayName": name, "description": name]],
    ]
    let bodies = [
      try json(["configurations": [["products": [product]]]]),
      try json(["environment": "Sandbox", "name": name, "family": name]),
      try json([
        "bundleId": name, "environment": "Sandbox", "customer": name, "productId": name, "applicationUsername": name,
      ]),
      try json(["kind": "outage", "id": name, "scope": ["customer": name, "productId": name, "installationId": name]]),
    ]
    let segment = try Self.segment(name)
    // The length of a request line is limited. Longer names are tested only in bodies.
    let fits = segment.utf8.count < 8_000
    try await bakery.withClient { client async throws in
      if fits {
        let served = try await client.send(.put, "/control/v1/apps/\(segment)", bodies[0])
        #expect(served.status == 200, "\(served.message)")
      } else {
        try await bakery.store.serve(
          BundleID(name),
          catalog: [try StoreKitConfiguration(data: Data(try json(["products": [product]]).utf8), name: "x")])
      }
      #expect(try await client.post("/control/v1/customers", bodies[1]).status == 201)
      let bought = try await client.post("/control/v1/purchases", bodies[2])
      #expect(bought.status == 201, "\(bought.message)")
      let id = try #require(bought.object["transactionId"] as? String)
      #expect(try await client.post("/control/v1/faults", bodies[3]).status == 201)

      let refunded = try await client.post("/control/v1/transactions/\(id)/refund", "{}")
      for key in ["customer", "productId", "bundleId", "applicationUsername"] {
        #expect(refunded.object[key] as? String == name)
      }
      let details = try await client.get("/control/v1/transactions/\(id)")
      #expect((details.object["transaction"] as? [String: Any])?["customer"] as? String == name)
      #expect(details.list("timeline").compactMap { $0["customer"] as? String } == [name, name])
      #expect(
        try await client.get("/control/v1/customers").list("customers").contains { $0["name"] as? String == name })
      #expect(try await client.get("/control/v1/faults").list("faults").map { $0["id"] as? String } == [name])
      let apps = try await client.get("/control/v1/apps").list("apps")
      #expect(apps.contains { $0["bundleId"] as? String == name })
      guard fits else { return }
      for list in ["transactions", "charges", "refunds"] {
        let found = try await client.get(
          "/control/v1/\(list)?customer=\(segment)&productId=\(segment)&search=\(segment)")
        #expect(found.list(list).count == 1, "\(list)")
      }
      #expect(try await client.get("/control/v1/customers/sandbox/\(segment)").object["name"] as? String == name)
      #expect(try await client.send(.delete, "/control/v1/faults/\(segment)", "").object["id"] as? String == name)
    }
  }

  @Test("a refusal repeats them as JSON, and the character U+0000 is taken nowhere")
  func refused() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      for name in Self.names where name.utf8.count < 2_000 {
        let reply = try await client.get("/control/v1/customers/sandbox/\(try Self.segment(name))")
        #expect((reply.status, reply.code) == (404, "unknownCustomer"))
        #expect(reply.message.contains(name))
        let query = try await client.get("/control/v1/transactions?\(try Self.segment(name))=1")
        #expect((query.status, query.code) == (400, "malformedRequest"))
      }
      #expect(
        try await client.post("/control/v1/customers", #"{"environment":"Sandbox","name":"a\u0000b"}"#).status == 400)
      let search = try await client.get("/control/v1/transactions?search=a%00b")
      #expect(search.status == 200 && search.list("transactions").isEmpty)
    }
  }
}
