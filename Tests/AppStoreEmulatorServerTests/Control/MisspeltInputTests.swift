import AppStoreEmulator
import Foundation
import HTTPTypes
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

/// What is passed over in silence looks as if it had been done.
@Suite("Misspelt input at the control door")
struct MisspeltInputTests {
  /// A body that would be taken but for one key, and that key.
  private static let bodies: [(HTTPRequest.Method, String, String, String)] = [
    (.post, "customers", #"{"environment":"Sandbox","name":"ada","paymentMetod":"declined"}"#, "paymentMetod"),
    (.patch, "customers/sandbox/customer", #"{"storefront":"DEU","paymentMetod":"declined"}"#, "paymentMetod"),
    (.patch, "customers/sandbox/customer", #"{"PaymentMethod":"declined"}"#, "PaymentMethod"),
    (.patch, "apps/org.example.bakery/products/org.example.bakery.loaf", #"{"onSale":false,"price":5}"#, "onSale"),
    (
      .post, "purchases",
      #"{"bundleId":"org.example.bakery","environment":"Sandbox","customer":"customer","#
        + #""productId":"org.example.bakery.loaf","quantitiy":3}"#,
      "quantitiy"
    ),
    (.patch, "clock", #"{"advanceMilliseconds":5000,"rat":60}"#, "rat"),
  ]

  @Test("a key that is not known is refused by name, with those there are, and nothing is changed", arguments: bodies)
  func keys(method: HTTPRequest.Method, path: String, body: String, key: String) async throws {
    let bakery = try await BakeryServer()
    let before = try await State(bakery.store)
    let reply = try await bakery.doors { try await $0.send(method, "/control/v1/\(path)", body) }
    #expect((reply.status, reply.code) == (400, "malformedRequest"))
    #expect(reply.message.contains("\(key) is not known here"), "\(reply.message)")
    #expect(try await State(bakery.store) == before)
  }

  @Test("each of these bodies is taken without the misspelt key", arguments: bodies)
  func taken(method: HTTPRequest.Method, path: String, body: String, key: String) async throws {
    let bakery = try await BakeryServer()
    var object = try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
    object[key] = nil
    let rest = try json(object)
    let reply = try await bakery.doors { try await $0.send(method, "/control/v1/\(path)", rest) }
    #expect((200..<300).contains(reply.status), "\(reply.message)")
  }

  @Test(
    "a name that cannot be asked for is refused, rather than everything listed",
    arguments: ["transactions", "charges"],
    ["costumer=ada", "bundleID=x", "environment=sandbox&Limit=1", "productID=x"])
  func queries(list: String, query: String) async throws {
    let bakery = try await BakeryServer()
    _ = try await bakery.order()
    let before = try await State(bakery.store)
    let reply = try await bakery.doors { try await $0.get("/control/v1/\(list)?\(query)") }
    #expect((reply.status, reply.code) == (400, "malformedRequest"))
    let name = try #require(query.split(separator: "&").last?.split(separator: "=").first)
    #expect(reply.message.contains("\(name) cannot be asked for"), "\(reply.message)")
    #expect(try await State(bakery.store) == before)
  }

  /// All that the control door can change here.
  private struct State: Equatable {
    let customers: [Customer]
    let catalog: [CatalogEntry]
    let transactions: [StoredTransaction]
    let charges: [Charge]
    let clock: ClockReading

    init(_ store: EmulatedAppStore) async throws {
      customers = try await store.customers()
      catalog = try await store.catalog(of: BakeryServer.app)
      transactions = try await store.transactions()
      charges = try await store.charges()
      clock = try await store.clockReading()
    }
  }
}
