import AppStoreEmulator
import ControlAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The description of the control API", .timeLimit(.minutes(30)))
struct DescriptionTests {
  private func document() throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: try ControlEndpoints.openAPI()) as? [String: Any])
  }

  /// Returns the path, method and description of each operation, by its id.
  private func operations() throws -> [String: (path: String, method: String, operation: [String: Any])] {
    let paths = try #require(try document()["paths"] as? [String: [String: Any]])
    var operations: [String: (path: String, method: String, operation: [String: Any])] = [:]
    for (path, item) in paths {
      for (method, operation) in item where method != "parameters" {
        let operation = try #require(operation as? [String: Any])
        let id = try #require(operation["operationId"] as? String)
        #expect(operations[id] == nil, "\(id) is there twice")
        operations[id] = (path, method, operation)
      }
    }
    return operations
  }

  @Test("parses, says its version, and is served as it is")
  func served() async throws {
    let document = try document()
    #expect(document["openapi"] as? String == "3.1.0")
    #expect((document["servers"] as? [[String: String]])?.first?["url"] == "/control/v1")
    let reply = try await BakeryServer().withClient { try await $0.get("/control/openapi.json") }
    #expect(reply.status == 200)
    #expect(reply.body == (try ControlEndpoints.openAPI()))
    #expect(reply.headers[.contentType]?.hasPrefix("application/json") == true)
  }

  @Test("describes exactly the routes there are")
  func routes() async throws {
    let bakery = try await BakeryServer()
    let router = Router(context: BasicRequestContext.self)
    ControlRoutes(store: bakery.store, scheme: "http").add(to: router)
    let there = Set(router.routes.map { "\($0.method.rawValue) \($0.path)" })
    let operations = try operations()
    let described = Set(operations.values.map { "\($0.method.uppercased()) /control/v1\($0.path)" })
    #expect(there == described.union(["GET /control/openapi.json"]))
  }

  /// Returns a bakery with the data that every operation's example needs.
  private func busyBakery() async throws -> BakeryServer {
    let bakery = try await BakeryServer()
    let store = bakery.store
    try await store.setNotificationURLs(
      NotificationURLs(sandbox: URL(string: "http://server.example/")), of: BakeryServer.app)
    try store.changeNotificationPolicy { $0.hold = true }
    _ = try await store.register(BakeryServer.registration())
    _ = try await store.signIn(SignInCredentials(account: "customer"), on: "phone")
    try await bakery.order()
    try await store.finish(
      try await store.purchase(
        BakeryServer.loaf, of: BakeryServer.app, for: "customer", in: .sandbox, installationID: "phone"
      ).record.transactionID, for: "phone")
    let refunded = try await store.purchase(BakeryServer.loaf, of: BakeryServer.app, for: "customer", in: .sandbox)
    try await store.refund(refunded.record.transactionID, percentage: 50_000)
    _ = try await store.addAPIKey(for: BakeryServer.app)
    let asked = try #require(
      try await store.transactions().first { $0.record.revocationDate == nil && $0.record.type == .consumable })
    try await store.requestRefund(of: asked.record.transactionID)
    try await bakery.subscribe()
    try store.set(Fault(OutageFault(), id: "of ada", scope: FaultScope(customer: "ada")))
    let payment = PaymentRequest(
      paymentID: "to approve", productID: BakeryServer.loaf, applicationUsername: "x", simulatesAskToBuyInSandbox: true)
    _ = try await store.confirm(try await store.quote(payment, for: "phone"), for: "phone")
    return bakery
  }

  @Test("every operation answers as described: its status, and nothing but what its schema names")
  func answers() async throws {
    let operations = try operations()
    #expect(Set(operations.keys) == Set(OperationExample.all.keys))
    let check = SchemaCheck(document: try document())
    for (id, (_, method, operation)) in operations.sorted(by: { $0.key < $1.key }) {
      let example = try #require(OperationExample.all[id])
      #expect(example.method.rawValue.lowercased() == method)
      let bakery = try await busyBakery()
      let snapshot = try await bakery.store.snapshot().base64EncodedString()
      let body = example.body?.replacing(OperationExample.snapshotPlace, with: snapshot)
      let transactions = try await bakery.store.transactions().map(\.record)
      let path = example.path
        .replacing(
          OperationExample.refundedPlace,
          with: try #require(transactions.first { $0.revocationDate != nil }).transactionID.rawValue
        )
        .replacing(
          OperationExample.transactionPlace,
          with: try #require(transactions.first { $0.revocationDate == nil && $0.type == .consumable }).transactionID
            .rawValue
        )
        .replacing(
          OperationExample.subscriptionPlace,
          with: try #require(transactions.first { $0.subscriptionGroupID != nil }).transactionID.rawValue
        )
        .replacing(OperationExample.keyPlace, with: try #require(try await bakery.store.apiKeys().last).keyID)
        .replacing(OperationExample.refundRequestPlace, with: "1")
        .replacing(
          OperationExample.notificationPlace,
          with: try #require(try await bakery.store.notifications().notifications.first).uuid)
      let reply = try await bakery.withClient { client async throws in
        try await client.send(example.method, "/control/v1\(path)", body)
      }
      #expect(reply.status == example.status, "\(id)")
      let responses = try #require(operation["responses"] as? [String: [String: Any]])
      let response = try #require(responses["\(reply.status)"], "\(id): \(reply.status) is not described")
      let schema = try #require(self.schema(of: response))
      #expect(check.faults(reply.object, schema) == [], "\(id)")
    }
  }

  @Test("what it says may be sent is taken, and what it requires is required")
  func requests() async throws {
    let check = SchemaCheck(document: try document())
    for (id, (_, _, operation)) in try operations() {
      guard let body = operation["requestBody"] as? [String: Any], let schema = schema(of: body) else { continue }
      let example = try #require(OperationExample.all[id])
      let text = try #require(example.body)
      let sent = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      #expect(check.faults(sent, schema) == [], "\(id)")
      let target = (schema["$ref"] as? String).flatMap(check.resolve) ?? schema
      for name in target["required"] as? [String] ?? [] {
        var incomplete = sent
        incomplete[name] = nil
        let text = try json(incomplete)
        // Any number: the body is refused before the subscription is looked up.
        let path = [
          OperationExample.subscriptionPlace, OperationExample.transactionPlace, OperationExample.refundRequestPlace,
        ].reduce(example.path) { $0.replacing($1, with: "1") }
        let reply = try await BakeryServer().withClient {
          try await $0.send(example.method, "/control/v1\(path)", text)
        }
        #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(id) without \(name)")
        #expect(reply.message.contains(name))
      }
    }
  }

  @Test("every refusal is as the schema of refusals says")
  func refusals() async throws {
    let check = SchemaCheck(document: try document())
    let replies = try await BakeryServer().withClient { client async throws in
      [
        try await client.get("/control/v1/customers/sandbox/nobody"),
        try await client.post("/control/v1/customers", "{"),
        try await client.get("/control/v1/connection?bundleId=none"),
        try await client.get("/control/v1/charges?limit=0"),
        try await client.post("/control/v1/purchases", "{}", headers: ["Content-Type": "text/plain"]),
        try await client.get("/control/v1/apps", headers: ["Origin": "null"]),
      ]
    }
    for reply in replies {
      #expect(check.faults(reply.object, ["$ref": "#/components/schemas/Refused"]) == [], "HTTP \(reply.status)")
    }
  }

  @Test("every reference leads somewhere, and every schema is used")
  func references() throws {
    let document = try document()
    let check = SchemaCheck(document: document)
    var references = Set<String>()
    func collect(_ value: Any) {
      if let object = value as? [String: Any] {
        if let reference = object["$ref"] as? String { references.insert(reference) }
        object.values.forEach(collect)
      } else if let elements = value as? [Any] {
        elements.forEach(collect)
      }
    }
    collect(document)
    for reference in references { #expect(check.resolve(reference) != nil, "\(reference)") }
    let schemas = try #require(check.resolve("#/components/schemas"))
    #expect(Set(schemas.keys.map { "#/components/schemas/\($0)" }).subtracting(references).isEmpty)
  }

  @Test("its lists of words are the ones that are used")
  func text() throws {
    let check = SchemaCheck(document: try document())
    let types = check.resolve("#/components/schemas/ProductType")?["enum"] as? [String]
    #expect(types == ProductType.allCases.map(\.rawValue))
    let methods = check.resolve("#/components/schemas/PaymentMethod")?["enum"] as? [String]
    #expect(methods == Customer.PaymentMethod.allCases.map(\.rawValue))
    let environments = check.resolve("#/components/schemas/Environment")?["enum"] as? [String]
    #expect(environments.map(Set.init) == Set(StoreEnvironment.allCases.map(\.rawValue)).subtracting(["Xcode"]))
  }

  private func schema(of message: [String: Any]) -> [String: Any]? {
    let content = message["content"] as? [String: [String: Any]]
    return content?["application/json"]?["schema"] as? [String: Any]
  }
}
