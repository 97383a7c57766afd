import Foundation
import HTTPTypes
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("The OpenAPI description", .timeLimit(.minutes(30)))
struct DescriptionTests {
  private func document() throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: ServiceEndpoints.openAPI()) as? [String: Any])
  }

  private struct Operation {
    let path: String
    let method: String
    let members: [String: Any]
  }

  /// The operations by their ids.
  private func operations() throws -> [String: Operation] {
    let paths = try #require(try document()["paths"] as? [String: [String: Any]])
    var operations: [String: Operation] = [:]
    for (path, item) in paths {
      for (method, members) in item where method != "parameters" {
        let members = try #require(members as? [String: Any])
        let id = try #require(members["operationId"] as? String)
        #expect(operations[id] == nil, "\(id) is there twice")
        operations[id] = Operation(path: path, method: method, members: members)
      }
    }
    return operations
  }

  @Test("it can be parsed, contains its version, and is served unchanged")
  func served() async throws {
    #expect(try document()["openapi"] as? String == "3.1.0")
    let reply = try await ServerFixture().withClient { try await $0.get("/openapi.json") }
    #expect(reply.status == 200)
    #expect(reply.body == (try ServiceEndpoints.openAPI()))
    #expect(reply.headers[.contentType]?.hasPrefix("application/json") == true)
  }

  @Test("a range without a byte of the file: the description says where the size is, and which ranges there are")
  func unsatisfiableRange() throws {
    let download = try #require(try operations()["download"])
    let responses = try #require(download.members["responses"] as? [String: [String: Any]])
    let text = try #require(responses["416"]?["description"] as? String)
    #expect(text.contains("Content-Range is `bytes */SIZE`") && text.contains("0 to SIZE - 1"))
  }

  @Test("it describes exactly the existing routes, and the parameters of their paths")
  func routes() async throws {
    let fixture = try await ServerFixture()
    let router = ServiceRoutes(
      ledger: fixture.ledger, verifier: fixture.verifier, content: fixture.content, links: fixture.links, identity: nil,
      configuration: .init(), metrics: fixture.metrics, backUp: nil, status: ServiceStatus(anchors: []),
      presence: RequestPresence(most: 1), tokens: RecognisedTokens(),
      callers: RateLimiter(.init(perSecond: 1, burst: 1), clock: SystemClock()),
      verificationRates: VerificationRates(perMinute: 1, clock: SystemClock()),
      installations: RateLimiter(.init(perSecond: 1, burst: 1), clock: SystemClock()),
      notificationAllowance: NotificationAllowance(.init(perSecond: 1, burst: 1), clock: SystemClock()),
      readiness: Readiness(ledger: fixture.ledger, clock: SystemClock()), clock: SystemClock(), refreshClock: nil
    ).router()
    let there = Set(router.routes.map { "\($0.method.rawValue) \($0.path)" })
    let operations = try operations()
    #expect(there == Set(operations.values.map { "\($0.method.uppercased()) \($0.path)" }))
    for operation in operations.values {
      let given = (operation.members["parameters"] as? [[String: Any]] ?? []).filter { $0["in"] as? String == "path" }
        .compactMap { $0["name"] as? String }
      let named = operation.path.matches(of: /\{([^}]+)\}/).map { String($0.1) }
      #expect(given.sorted() == named.sorted(), "\(operation.path)")
    }
  }

  @Test("every operation answers as described: its status, and only members of its schema")
  func answers() async throws {
    let operations = try operations()
    #expect(Set(operations.keys) == Set(OperationExample.all.keys))
    let check = SchemaCheck(document: try document())
    for (id, operation) in operations.sorted(by: { $0.key < $1.key }) {
      let example = try #require(OperationExample.all[id])
      #expect(example.method.rawValue.lowercased() == operation.method)
      let reply = try await FilledServer().send(example)
      #expect(reply.status == example.status, "\(id): \(reply.text)")
      let responses = try #require(operation.members["responses"] as? [String: [String: Any]])
      let response = try #require(responses["\(reply.status)"], "\(id): \(reply.status) is not described")
      let content = response["content"] as? [String: [String: Any]] ?? [:]
      if let schema = content["application/json"]?["schema"] as? [String: Any] {
        // The description has no complete schema of itself.
        if id != "description" { #expect(check.faults(reply.object, schema) == [], "\(id)") }
        #expect(reply.headers[.contentType]?.hasPrefix("application/json") == true, "\(id)")
      } else if content.isEmpty {
        #expect(reply.body.isEmpty, "\(id)")
      }
    }
  }

  @Test("what it allows is accepted, and what it requires is required")
  func requests() async throws {
    let check = SchemaCheck(document: try document())
    for (id, operation) in try operations().sorted(by: { $0.key < $1.key }) {
      guard let body = operation.members["requestBody"] as? [String: Any],
        let content = body["content"] as? [String: [String: Any]],
        let schema = content["application/json"]?["schema"] as? [String: Any]
      else { continue }
      let (example, server) = (try #require(OperationExample.all[id]), try await FilledServer())
      let text = server.filled(try #require(example.body))
      let sent = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      #expect(check.faults(sent, schema) == [], "\(id)")
      let target = (schema["$ref"] as? String).flatMap(check.resolve) ?? schema
      for name in target["required"] as? [String] ?? [] {
        var incomplete = sent
        incomplete[name] = nil
        let reply = try await server.send(example, body: json(incomplete))
        #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(id) without \(name)")
        #expect(reply.message.contains(name))
      }
      var misspelt = sent
      misspelt["whoKnows"] = 1
      let reply = try await server.send(example, body: json(misspelt))
      if example.ignoresUnknownMembers {
        #expect(reply.status == example.status, "\(id)")
        continue
      }
      #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(id)")
      #expect(reply.message.contains("whoKnows is not known here"))
    }
  }

  @Test("the caller that an operation requires is the one that is checked")
  func callers() async throws {
    let fixture = try await ServerFixture()
    for (id, operation) in try operations() {
      let security = operation.members["security"] as? [[String: Any]]
      let example = try #require(OperationExample.all[id])
      switch example.caller {
      case .anonymous: #expect(security?.isEmpty == true, "\(id)")
      case .customer: #expect(security == nil, "\(id)")
      case .anOperator: #expect(security?.last?["operator"] != nil, "\(id)")
      }
      guard example.caller != .anonymous else { continue }
      let reply = try await fixture.withClient { try await $0.send(example.method, example.path, example.body) }
      // 400 and 422 are allowed, because the server may check the form of the body first.
      #expect([400, 401, 422].contains(reply.status), "\(id): \(reply.status)")
    }
  }

  @Test("every refusal matches the schema of refusals")
  func refusals() async throws {
    let check = SchemaCheck(document: try document())
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    let book = try await fixture.bookStore.buy(BookStore.draft, on: fixture.bookStore.phone())
    let replies = try await fixture.withClient { client async throws in
      [
        try await client.get("/none"), try await client.send(.patch, "/health"),
        try await client.get("\(ServerFixture.path)/customer"),
        try await client.post("\(ServerFixture.path)/installations", "{"),
        try await client.post("\(ServerFixture.path)/installations", String(repeating: " ", count: 5_000)),
        try await client.get("/v1/apps/none/products"), try await client.get("/v1/downloads/none"),
        try await client.get("\(ServerFixture.path)/credits/%FF/movements", token: reader.token),
        try await client.get("/metrics"), try await client.get("/v1/operator/audit", token: reader.token),
      ]
    }
    for reply in replies {
      #expect((400..<500).contains(reply.status))
      #expect(check.faults(reply.object, ["$ref": "#/components/schemas/Refused"]) == [], "HTTP \(reply.status)")
      #expect(reply.headers[.requestID] != nil)
    }
    let refused = try await fixture.withClient { try await $0.redeem(book, token: reader.token) }
    #expect(check.faults(refused.object, ["$ref": "#/components/schemas/RefusedRedemption"]) == [])
  }

  @Test("no answer is a table that a spreadsheet opens, so that no customer's text becomes a formula")
  func noTables() throws {
    for (id, operation) in try operations() {
      for (_, response) in try #require(operation.members["responses"] as? [String: [String: Any]]) {
        let types = (response["content"] as? [String: Any] ?? [:]).keys
        #expect(
          types.allSatisfy {
            ["application/json", "application/x-ndjson", "application/octet-stream"].contains($0)
              || (id == "metrics" && $0 == "text/plain")
          }, "\(id): \(types)")
      }
    }
  }

  @Test("every reference is valid, and every schema is used")
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

  @Test("the enumerations of its schemas are those of the code")
  func enumerations() throws {
    let check = SchemaCheck(document: try document())
    func enumeration(_ schema: String) -> [String]? {
      check.resolve("#/components/schemas/\(schema)")?["enum"] as? [String]
    }
    #expect(enumeration("ProductType").map(Set.init) == Set(ProductType.allCases.map(\.rawValue)))
    #expect(
      enumeration("Environment").map(Set.init) == Set(StoreEnvironment.allCases.map(\.rawValue)).subtracting(["Xcode"]))
    #expect(enumeration("EntitlementOrigin")?.compactMap(LedgerEntitlement.Origin.init).count == 3)
    #expect(enumeration("EntitlementEnd")?.compactMap(LedgerEntitlement.EndReason.init).count == 5)
    let properties =
      check.resolve("#/components/schemas/CreditMovement")?["properties"] as? [String: [String: Any]] ?? [:]
    let (causes, accounts) = (
      properties["cause"]?["enum"] as? [String], properties["counterAccount"]?["enum"] as? [String]
    )
    #expect(causes?.compactMap(CreditMovement.Cause.init).count == 7)
    #expect(accounts?.compactMap(CreditMovement.CounterAccount.init).count == 5)
  }
}
