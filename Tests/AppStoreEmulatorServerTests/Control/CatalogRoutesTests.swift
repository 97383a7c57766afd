import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("Catalogs through the control API", .timeLimit(.minutes(30)))
struct CatalogRoutesTests {
  private static let app = "/control/v1/apps/org.example.bakery"
  private static let loaf = "\(app)/products/org.example.bakery.loaf"

  private func phone(of bakery: BakeryServer) async throws -> InstallationID {
    _ = try await bakery.store.register(BakeryServer.registration())
    _ = try await bakery.store.signIn(SignInCredentials(account: "customer"), on: "phone")
    return "phone"
  }

  @Test("A1 an app is added with .storekit files as they are, and its products are sold")
  func addApp() async throws {
    let bakery = try await BakeryServer()
    let body = """
      {"configurations": [
        {"products": [{"productID": "flour", "type": "Consumable", "displayPrice": "1.20", "referenceName": "Flour"}],
         "settings": {"_askToBuyEnabled": false}},
        {"products": [{"productID": "mill", "type": "NonConsumable", "displayPrice": 0.99, "referenceName": "Mill"}]}
      ]}
      """
    try await bakery.withClient { client async throws in
      let reply = try await client.send(.put, "/control/v1/apps/org.example.mill%20%26%20co", body)
      #expect(reply.status == 200)
      let app = try #require(reply.object["app"] as? [String: Any])
      #expect(app["bundleId"] as? String == "org.example.mill & co")
      let products = try #require(app["products"] as? [[String: Any]])
      #expect(products.map { $0["productId"] as? String } == ["flour", "mill"])
      #expect(products.map { $0["price"] as? Int } == [1200, 990])
      #expect(products.allSatisfy { $0["isOnSale"] as? Bool == true })
      #expect(try await client.get("/control/v1/apps").list("apps").count == 2)
    }
  }

  @Test("a catalog is replaced as a whole; what was bought stays")
  func replaceCatalog() async throws {
    let bakery = try await BakeryServer()
    try await bakery.order()
    try await bakery.withClient { client async throws in
      let reply = try await client.send(.put, Self.app, #"{"configurations":[]}"#)
      #expect((reply.object["app"] as? [String: Any])?["products"] as? [[String: String]] == [])
      let refused = try await client.post(
        "/control/v1/purchases",
        #"{"bundleId":"org.example.bakery","environment":"Sandbox","customer":"customer","productId":"org.example.bakery.loaf"}"#
      )
      #expect((refused.status, refused.code) == (422, "productNotAvailable"))
      #expect(try await client.get("/control/v1/transactions").list("transactions").count == 1)
    }
  }

  @Test("A1 what can be sold of a file is sold, and what is left out is named with the file's position")
  func warnings() async throws {
    let bakery = try await BakeryServer()
    let body = """
      {"configurations": [
        {"products": [{"productID": "flour", "type": "Consumable", "displayPrice": "1.20"}]},
        {"products": [{"productID": "x", "type": "Gold", "displayPrice": "1"},
                      {"productID": "mill", "type": "NonConsumable", "displayPrice": "2"}],
         "settings": {"_storefront": "UKR"}}
      ]}
      """
    try await bakery.withClient { client async throws in
      let reply = try await client.send(.put, Self.app, body)
      #expect(reply.status == 200)
      let app = try #require(reply.object["app"] as? [String: Any])
      let products = try #require(app["products"] as? [[String: Any]])
      #expect(products.map { $0["productId"] as? String } == ["flour", "mill"])
      #expect(
        reply.object["warnings"] as? [String] == [
          #"configurations[1]: products[0] ("x"): unknown type "Gold"; use Consumable or NonConsumable; "#
            + "this product is left out"
        ])
    }
  }

  @Test("A4 a customer of every storefront can be made")
  func customers() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      for storefront in Territory.all {
        let code = storefront.countryCode
        let reply = try await client.post(
          "/control/v1/customers", #"{"environment":"Sandbox","name":"of \#(code)","storefront":"\#(code)"}"#)
        #expect(reply.status == 201, "\(code): \(reply.message)")
      }
    }
  }

  @Test("an error in a file is reported with its position, and changes nothing")
  func refusals() async throws {
    let bakery = try await BakeryServer()
    let before = try await bakery.store.catalog(of: BakeryServer.app)
    try await bakery.withClient { client async throws in
      for (body, status, code, word) in [
        (
          #"{"configurations":[{"products":[{"productID":"x","type":"Gold","displayPrice":"1"}]}]}"#, 422,
          "invalidConfiguration", "configurations[0]"
        ),
        (
          #"{"configurations":[{"products":[{"productID":"x","type":"Consumable","displayPrice":"-1"}]}]}"#, 422,
          "invalidConfiguration", "negative"
        ),
        (
          #"{"configurations":[{"products":[{"productID":"x","type":"Consumable","displayPrice":"1"}]},{"products":[{"productID":"x","type":"Consumable","displayPrice":"1"}]}]}"#,
          422, "duplicateProduct", "x"
        ),
        (#"{"configurations":[{"settings":{"_storefront":"ATL"}}]}"#, 422, "unknownStorefront", "ATL"),
        (#"{"configurations":[5]}"#, 422, "invalidConfiguration", "configurations[0]: the file holds JSON, but not"),
        (#"{"configurations":{}}"#, 400, "malformedRequest", "configurations"),
        ("{}", 400, "malformedRequest", "configurations"),
        ("[]", 400, "malformedRequest", ""), ("{", 400, "malformedRequest", ""),
      ] {
        let reply = try await client.send(.put, Self.app, body)
        #expect((reply.status, reply.code) == (status, code), "\(body): \(reply.message)")
        #expect(word.isEmpty || reply.message.contains(word), "\(body): \(reply.message)")
      }
    }
    #expect(try await bakery.store.catalog(of: BakeryServer.app) == before)
  }

  @Test(
    "B2 a price changed through the control API makes a confirmed quote stale; only a newly confirmed quote is charged")
  func stalePrice() async throws {
    let bakery = try await BakeryServer()
    let phone = try await phone(of: bakery)
    let store = bakery.store
    let payment = PaymentRequest(paymentID: "p", productID: BakeryServer.loaf)
    let old = try await store.quote(payment, for: phone)
    try await bakery.withClient { client async throws in
      let reply = try await client.send(.patch, Self.loaf, #"{"price":4000}"#)
      #expect((reply.status, reply.object["price"] as? Int) == (200, 4000))
    }
    guard case .stale(let current) = try await store.confirm(old, for: phone) else {
      Issue.record("a quote at the old price was charged")
      return
    }
    #expect(try await store.charges().isEmpty)
    _ = try await store.confirm(current, for: phone)
    #expect(try await store.charges().map(\.amount) == [Milliunits(4000)])
  }

  @Test("A4 a product taken off sale is invalid to apps, and put back it is sold again")
  func offSale() async throws {
    let bakery = try await BakeryServer()
    let phone = try await phone(of: bakery)
    for isOnSale in [false, true] {
      try await bakery.withClient { client async throws in
        let reply = try await client.send(.patch, Self.loaf, #"{"isOnSale":\#(isOnSale)}"#)
        #expect((reply.status, reply.object["price"] as? Int) == (200, 3500))
      }
      let list = try await bakery.store.products([BakeryServer.loaf], for: phone)
      #expect(list.invalidProductIDs.isEmpty == isOnSale)
    }
  }

  @Test("a product or price there is not is refused with words")
  func productRefusals() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      for (path, body, status, code) in [
        ("\(Self.app)/products/cake", "{}", 404, "unknownProduct"),
        ("/control/v1/apps/none/products/cake", "{}", 404, "unknownApp"),
        (Self.loaf, #"{"price":-1}"#, 422, "priceOutOfRange"),
        (Self.loaf, #"{"prices":{"ATL":1}}"#, 422, "unknownStorefront"),
        (Self.loaf, #"{"price":"cheap"}"#, 400, "malformedRequest"),
        (Self.loaf, #"{"price":1.5}"#, 400, "malformedRequest"),
      ] {
        let reply = try await client.send(.patch, path, body)
        #expect((reply.status, reply.code) == (status, code), "\(path) \(body)")
      }
    }
  }
}
