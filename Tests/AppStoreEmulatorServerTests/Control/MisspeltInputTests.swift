import AppStoreEmulator
import Foundation
import HTTPTypes
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

/// What is passed over in silence looks as if it had been done.
@Suite("Misspelt input at the control API", .timeLimit(.minutes(30)))
struct MisspeltInputTests {
  /// Requests that would succeed except for one misspelt key: method, path, body and key.
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
    (.patch, "settings", #"{"documented21003":true,"lenientBase46":true}"#, "lenientBase46"),
    (
      .post, "promotedPurchases", #"{"installationId":"phone","productId":"org.example.bakery.loaf","quantity":2}"#,
      "quantity"
    ),
    (.post, "approvals/phone/to%20approve", #"{"decision":"approve","reason":"nice"}"#, "reason"),
    (.post, "installations/phone/signOut", #"{"customer":"customer"}"#, "customer"),
    (.post, "faults/of%20ada/release", #"{"count":1}"#, "count"),
    (.post, "faults", #"{"kind":"outage","durationSecond":5}"#, "durationSecond"),
    (.post, "reset", #"{"customers":false}"#, "customers"),
    (.put, "apps/org.example.mill", #"{"configurations":[{"products":[]}],"configuration":[]}"#, "configuration"),
  ]

  /// Returns a bakery with a phone, a payment that waits for approval, and a fault.
  private static func bakery() async throws -> BakeryServer {
    let bakery = try await BakeryServer()
    _ = try await bakery.store.register(BakeryServer.registration())
    _ = try await bakery.store.signIn(SignInCredentials(account: "customer"), on: "phone")
    try bakery.store.set(Fault(OutageFault(), id: "of ada", scope: FaultScope(customer: "ada")))
    let payment = PaymentRequest(
      paymentID: "to approve", productID: BakeryServer.loaf, applicationUsername: nil, simulatesAskToBuyInSandbox: true)
    _ = try await bakery.store.confirm(try await bakery.store.quote(payment, for: "phone"), for: "phone")
    return bakery
  }

  @Test(
    "what is misspelt in an error, a scope or a snapshot's body is refused by name, too",
    arguments: [
      ("faults", #"{"kind":"appError","error":{"domain":"D","code":1,"mesage":"No"}}"#, "mesage"),
      (
        "faults", #"{"kind":"appError","error":{"domain":"D","code":1,"underlying":{"domain":"E","code":2,"cod":3}}}"#,
        "cod"
      ),
      ("faults", #"{"kind":"outage","scope":{"costumer":"ada"}}"#, "costumer"),
      ("restore", #"{"snapshot":"","epoch":"1"}"#, "epoch"),
    ])
  func nested(path: String, body: String, key: String) async throws {
    let bakery = try await Self.bakery()
    let before = try await State(bakery.store)
    let reply = try await bakery.withClient { try await $0.post("/control/v1/\(path)", body) }
    #expect((reply.status, reply.code) == (400, "malformedRequest"))
    #expect(reply.message.contains("\(key) is not known here"), "\(reply.message)")
    #expect(try await State(bakery.store) == before)
  }

  @Test(
    "a key that occurs twice is refused by name, at any depth and however it is written, and nothing is changed",
    arguments: [
      ("customers", #"{"environment":"Sandbox","name":"ada","name":"bob"}"#, "name"),
      ("customers", #"{"environment":"Sandbox","n\u0061me":"ada","name":"ada"}"#, "name"),
      ("faults", #"{"kind":"outage","scope":{"customer":"ada","customer":"bob"}}"#, "customer"),
      ("faults", "\u{FEFF}" + #"{"kind":"outage","count":1,"count":2}"#, "count"),
      ("apps/org.example.mill", #"{"configurations":[{"products":[],"products":[]}]}"#, "products"),
    ])
  func twice(path: String, body: String, key: String) async throws {
    let bakery = try await Self.bakery()
    let before = try await State(bakery.store)
    let method = path.hasPrefix("apps/") ? HTTPRequest.Method.put : .post
    let reply = try await bakery.withClient { try await $0.send(method, "/control/v1/\(path)", body) }
    #expect((reply.status, reply.code) == (400, "malformedRequest"))
    #expect(reply.message.contains("the name \(key) occurs twice"), "\(reply.message)")
    #expect(try await State(bakery.store) == before)
  }

  @Test(
    "a body that is no JSON by RFC 8259 is refused, also if only a member is wrong that nobody reads, and nothing is changed",
    arguments: [
      (.post, "/control/v1/customers", #"{"environment":"Sandbox","name":"ada",}"#),
      (.post, "/control/v1/customers", #"{"environment":"Sandbox","name":"ada","later":1e400}"#),
      (.post, "/control/v1/reset", "{,}"),
      (.post, "/control/v1/approvals/phone/to%20approve", #"{"decision":"approve",}"#),
      (.post, "/control/v1/installations/phone/signOut", #"{"a":}"#),
      (.put, "/control/v1/apps/org.example.mill", #"{"configurations":[{"products":[]},]}"#),
      (.patch, "/control/v1/clock", #"{"advanceMilliseconds":01}"#), (.patch, "/control/v1/clock", #"{"rate":1e400}"#),
      (.post, "/device/v1/register", #"{"later":[1,]}"#),
    ] as [(HTTPRequest.Method, String, String)])
  func malformed(method: HTTPRequest.Method, path: String, body: String) async throws {
    let bakery = try await Self.bakery()
    let before = try await State(bakery.store)
    let reply = try await bakery.withClient { try await $0.send(method, path, body) }
    #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(reply.message)")
    #expect(try await State(bakery.store) == before)
  }

  @Test(
    "a parameter that is in the query twice is refused by name, whichever values it has",
    arguments: ["limit=1&limit=1", "limit=1&environment=Sandbox&limit=2", "customer=ada&customer="])
  func repeatedParameters(query: String) async throws {
    let reply = try await BakeryServer().withClient { try await $0.get("/control/v1/transactions?\(query)") }
    #expect((reply.status, reply.code) == (400, "malformedRequest"))
    let name = try #require(query.split(separator: "=").first)
    #expect(reply.message.contains("\(name) is in the query twice"), "\(reply.message)")
  }

  @Test("a key that is not known is refused by name, with those there are, and nothing is changed", arguments: bodies)
  func keys(method: HTTPRequest.Method, path: String, body: String, key: String) async throws {
    let bakery = try await Self.bakery()
    let before = try await State(bakery.store)
    let reply = try await bakery.withClient { try await $0.send(method, "/control/v1/\(path)", body) }
    #expect((reply.status, reply.code) == (400, "malformedRequest"))
    #expect(reply.message.contains("\(key) is not known here"), "\(reply.message)")
    #expect(try await State(bakery.store) == before)
  }

  @Test("each of these bodies is taken without the misspelt key", arguments: bodies)
  func taken(method: HTTPRequest.Method, path: String, body: String, key: String) async throws {
    let bakery = try await Self.bakery()
    var object = try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
    object[key] = nil
    let rest = try json(object)
    let reply = try await bakery.withClient { try await $0.send(method, "/control/v1/\(path)", rest) }
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
    let reply = try await bakery.withClient { try await $0.get("/control/v1/\(list)?\(query)") }
    #expect((reply.status, reply.code) == (400, "malformedRequest"))
    let name = try #require(query.split(separator: "&").last?.split(separator: "=").first)
    #expect(reply.message.contains("\(name) cannot be asked for"), "\(reply.message)")
    #expect(try await State(bakery.store) == before)
  }

  /// Everything that the control API can change in this store.
  private struct State: Equatable {
    let customers: [Customer]
    let catalog: [CatalogEntry]
    let transactions: [StoredTransaction]
    let charges: [Charge]
    let clock: ClockReading
    let settings: StoreSettings
    let faults: [FaultID]
    let waiting: [PendingApproval]
    let signedIn: [AccountName?]
    let apps: [BundleID]
    let epoch: StoreEpoch

    init(_ store: EmulatedAppStore) async throws {
      customers = try await store.customers()
      catalog = try await store.catalog(of: BakeryServer.app)
      transactions = try await store.transactions()
      charges = try await store.charges()
      clock = try await store.clockReading()
      settings = try await store.settings()
      faults = store.faults().map(\.id)
      waiting = try await store.pendingApprovals()
      signedIn = try await store.installations().map(\.account)
      apps = try await store.apps().map(\.bundleID)
      epoch = store.epoch
    }
  }
}
