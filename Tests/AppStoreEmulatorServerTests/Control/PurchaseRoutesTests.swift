import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("Purchases through the control API", .timeLimit(.minutes(30)))
struct PurchaseRoutesTests {
  private static let order: [String: any Sendable] = [
    "bundleId": "org.example.bakery", "environment": "Sandbox", "customer": "customer",
    "productId": "org.example.bakery.loaf",
  ]

  private func order(_ changes: [String: any Sendable] = [:]) throws -> String {
    try json(Self.order.merging(changes) { $1 })
  }

  @Test("H1 a purchase on a customer's behalf is charged, and the answer is the stored record")
  func purchase() async throws {
    let bakery = try await BakeryServer()
    let token = "6f6a3a1c-7b7b-4f3e-9e33-0a1b2c3d4e5f"
    let body = try order(["quantity": 3, "applicationUsername": token])
    let reply = try await bakery.withClient { try await $0.post("/control/v1/purchases", body) }
    #expect(reply.status == 201)
    let stored = try #require(try await bakery.store.transactions().first)
    #expect(reply.object["transactionId"] as? String == stored.record.transactionID.rawValue)
    #expect(reply.object["originalTransactionId"] as? String == stored.record.transactionID.rawValue)
    #expect(reply.object["quantity"] as? Int == 3)
    #expect(reply.object["price"] as? Int == 10_500)
    #expect(reply.object["currency"] as? String == "USD")
    #expect(reply.object["storefront"] as? String == "USA")
    #expect(reply.object["type"] as? String == "Consumable")
    #expect(reply.object["customer"] as? String == "customer")
    #expect(reply.object["purchaseDate"] as? Int64 == BakeryServer.opening.millisecondsSince1970)
    #expect(reply.object["originalPurchaseDate"] as? Int64 == BakeryServer.opening.millisecondsSince1970)
    #expect(reply.object["appAccountToken"] as? String == token)
    #expect(reply.object["applicationUsername"] as? String == token)
    #expect(reply.object["installationId"] == nil)
    #expect(reply.object["finishedDate"] == nil)
    #expect(try await bakery.store.charges().map(\.amount) == [Milliunits(10_500)])
  }

  @Test("B4 for a named installation it is delivered there, and the records show it finished")
  func delivered() async throws {
    let bakery = try await BakeryServer()
    _ = try await bakery.store.register(BakeryServer.registration())
    let body = try order(["installationId": "phone"])
    try await bakery.withClient { client async throws in
      let text = try #require(try await client.post("/control/v1/purchases", body).object["transactionId"] as? String)
      let id = try #require(TransactionID(rawValue: text))
      try await bakery.store.finish(id, for: "phone")
      let listed = try #require(try await client.get("/control/v1/transactions").list("transactions").first)
      #expect(listed["installationId"] as? String == "phone")
      #expect(listed["finishedDate"] as? Int64 == BakeryServer.opening.millisecondsSince1970)
    }
  }

  @Test("refusals say why, with the status that fits, and charge nothing")
  func refusals() async throws {
    let bakery = try await BakeryServer()
    try await bakery.store.addCustomer(Customer(environment: .sandbox, name: "broke", paymentMethod: .declined))
    let cases: [(String, Int, String)] = [
      (try order(["bundleId": "none"]), 404, "unknownApp"), (try order(["customer": "nobody"]), 404, "unknownCustomer"),
      (try order(["environment": "Xcode"]), 404, "unknownCustomer"),
      (try order(["installationId": "none"]), 404, "unknownInstallation"),
      (try order(["productId": "cake"]), 422, "productNotAvailable"),
      (try order(["quantity": 0]), 422, "paymentInvalid"), (try order(["quantity": 11]), 422, "paymentInvalid"),
      (try order(["customer": "broke"]), 422, "paymentDeclined"),
      (try order(["quantity": "two"]), 400, "malformedRequest"), ("{}", 400, "malformedRequest"),
    ]
    try await bakery.withClient { client async throws in
      for (body, status, code) in cases {
        let reply = try await client.post("/control/v1/purchases", body)
        #expect((reply.status, reply.code) == (status, code), "\(body)")
        #expect(!reply.message.isEmpty)
      }
    }
    #expect(try await bakery.store.charges().isEmpty)
  }

  @Test("transactions and charges are listed newest first, by app, environment and customer, up to a limit")
  func filters() async throws {
    let bakery = try await BakeryServer()
    try await bakery.store.addCustomer(Customer(environment: .sandbox, name: "a&b=c", storefrontCountryCode: "DEU"))
    let ids = try await [
      bakery.order(), bakery.order("a&b=c"), bakery.order(in: .production),
    ].map(\.record.transactionID.rawValue)
    try await bakery.withClient { client async throws in
      for (query, expected) in [
        ("", [2, 1, 0]), ("?environment=sandbox", [1, 0]), ("?environment=Production", [2]),
        ("?customer=customer", [2, 0]),
        ("?customer=a%26b%3Dc", [1]), ("?bundleId=org.example.bakery&limit=2", [2, 1]), ("?bundleId=none", []),
        ("?customer=customer&environment=sandbox&limit=1000", [0]), ("?limit=1", [2]),
      ] {
        for list in ["transactions", "charges"] {
          let reply = try await client.get("/control/v1/\(list)\(query)")
          #expect(reply.status == 200)
          let found = reply.list(list).map { $0["transactionId"] as? String }
          #expect(found == expected.map { ids[$0] }, "\(list)\(query)")
        }
      }
      let charge = try #require(try await client.get("/control/v1/charges?limit=1").list("charges").first)
      #expect(charge["amount"] as? Int == 3500)
      #expect(charge["customer"] as? String == "customer")
      #expect(charge["environment"] as? String == "Production")
    }
  }

  @Test(
    "a filter that makes no sense is refused",
    arguments: [
      "limit=0", "limit=1001", "limit=-1", "limit=ten", "limit=", "limit=99999999999999999999", "environment=moon",
    ])
  func badFilters(query: String) async throws {
    try await BakeryServer().withClient { client async throws in
      for list in ["transactions", "charges"] {
        let reply = try await client.get("/control/v1/\(list)?\(query)")
        #expect((reply.status, reply.code) == (400, "malformedRequest"))
      }
    }
  }

  @Test("A4 apps are listed with their catalog in its order")
  func apps() async throws {
    let bakery = try await BakeryServer()
    let reply = try await bakery.withClient { try await $0.get("/control/v1/apps") }
    let app = try #require(reply.list("apps").first)
    #expect(app["bundleId"] as? String == "org.example.bakery")
    let products = try #require(app["products"] as? [[String: Any]])
    #expect(products.map { $0["productId"] as? String } == ["org.example.bakery.loaf", "org.example.bakery.oven"])
    #expect(products.map { $0["price"] as? Int } == [3500, 120_000])
    #expect(products.map { $0["type"] as? String } == ["Consumable", "Non-Consumable"])
    #expect(products.map { $0["referenceName"] as? String } == ["Loaf", "Oven"])
  }
}
