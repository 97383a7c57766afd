import Foundation
import HTTPTypes
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("The description of the server", .timeLimit(.minutes(10)))
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

  @Test("parses, says its version, and is served as it is")
  func served() async throws {
    #expect(try document()["openapi"] as? String == "3.1.0")
    let reply = try await ReadingRoom().doors { try await $0.get("/openapi.json") }
    #expect(reply.status == 200)
    #expect(reply.body == (try ServiceEndpoints.openAPI()))
    #expect(reply.headers[.contentType]?.hasPrefix("application/json") == true)
  }

  @Test("describes exactly the routes there are, and the parameters of their paths")
  func routes() async throws {
    let room = try await ReadingRoom()
    let router = ServiceRoutes(
      ledger: room.ledger, verifier: room.verifier, content: room.content, links: room.links, identity: nil,
      configuration: .init(), metrics: room.metrics, backUp: nil, status: ServiceStatus(anchors: []),
      presence: RequestPresence(most: 1), tokens: RecognisedTokens(),
      verificationRates: VerificationRates(perMinute: 1, clock: SystemClock()),
      installations: RateLimiter(.init(perSecond: 1, burst: 1), clock: SystemClock()),
      readiness: Readiness(ledger: room.ledger, clock: SystemClock())
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

  @Test("every operation answers as described: its status, and nothing but what its schema names")
  func answers() async throws {
    let operations = try operations()
    #expect(Set(operations.keys) == Set(OperationExample.all.keys))
    let check = SchemaCheck(document: try document())
    for (id, operation) in operations.sorted(by: { $0.key < $1.key }) {
      let example = try #require(OperationExample.all[id])
      #expect(example.method.rawValue.lowercased() == operation.method)
      let reply = try await BusyRoom().send(example)
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

  @Test("what it says may be sent is taken, and what it requires is required")
  func requests() async throws {
    let check = SchemaCheck(document: try document())
    for (id, operation) in try operations().sorted(by: { $0.key < $1.key }) {
      guard let body = operation.members["requestBody"] as? [String: Any],
        let content = body["content"] as? [String: [String: Any]],
        let schema = content["application/json"]?["schema"] as? [String: Any]
      else { continue }
      let (example, busy) = (try #require(OperationExample.all[id]), try await BusyRoom())
      let text = busy.filled(try #require(example.body))
      let sent = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      #expect(check.faults(sent, schema) == [], "\(id)")
      let target = (schema["$ref"] as? String).flatMap(check.resolve) ?? schema
      for name in target["required"] as? [String] ?? [] {
        var incomplete = sent
        incomplete[name] = nil
        let reply = try await busy.send(example, body: json(incomplete))
        #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(id) without \(name)")
        #expect(reply.message.contains(name))
      }
      var misspelt = sent
      misspelt["whoKnows"] = 1
      let reply = try await busy.send(example, body: json(misspelt))
      #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(id)")
      #expect(reply.message.contains("whoKnows is not known here"))
    }
  }

  @Test("the caller that an operation names is the one that is asked for")
  func callers() async throws {
    let room = try await ReadingRoom()
    for (id, operation) in try operations() {
      let security = operation.members["security"] as? [[String: Any]]
      let example = try #require(OperationExample.all[id])
      switch example.caller {
      case .nobody: #expect(security?.isEmpty == true, "\(id)")
      case .customer: #expect(security == nil, "\(id)")
      case .anOperator: #expect(security?.last?["operator"] != nil, "\(id)")
      }
      guard example.caller != .nobody else { continue }
      let reply = try await room.doors { try await $0.send(example.method, example.path, example.body) }
      // 400 and 422 are allowed, because the server may check the form of the body first.
      #expect([400, 401, 422].contains(reply.status), "\(id): \(reply.status)")
    }
  }

  @Test("every refusal is as the schema of refusals says")
  func refusals() async throws {
    let check = SchemaCheck(document: try document())
    let room = try await ReadingRoom()
    let reader = try await room.reader()
    let book = try await room.books.buy(BookStore.draft, on: room.books.phone())
    let replies = try await room.doors { client async throws in
      [
        try await client.get("/none"), try await client.send(.patch, "/health"),
        try await client.get("\(ReadingRoom.path)/customer"),
        try await client.post("\(ReadingRoom.path)/installations", "{"),
        try await client.post("\(ReadingRoom.path)/installations", String(repeating: " ", count: 5_000)),
        try await client.get("/v1/apps/none/products"), try await client.get("/v1/downloads/none"),
        try await client.get("\(ReadingRoom.path)/credits/%FF/movements", token: reader.token),
        try await client.get("/metrics"), try await client.get("/v1/operator/audit", token: reader.token),
      ]
    }
    for reply in replies {
      #expect((400..<500).contains(reply.status))
      #expect(check.faults(reply.object, ["$ref": "#/components/schemas/Refused"]) == [], "HTTP \(reply.status)")
      #expect(reply.headers[.requestID] != nil)
    }
    let refused = try await room.doors { try await $0.redeem(book, token: reader.token) }
    #expect(check.faults(refused.object, ["$ref": "#/components/schemas/RefusedRedemption"]) == [])
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
  func words() throws {
    let check = SchemaCheck(document: try document())
    func words(_ schema: String) -> [String]? {
      check.resolve("#/components/schemas/\(schema)")?["enum"] as? [String]
    }
    #expect(words("ProductType").map(Set.init) == Set(ProductType.allCases.map(\.rawValue)))
    #expect(words("Environment").map(Set.init) == Set(StoreEnvironment.allCases.map(\.rawValue)).subtracting(["Xcode"]))
    #expect(words("EntitlementOrigin")?.compactMap(LedgerEntitlement.Origin.init).count == 3)
    #expect(words("EntitlementEnd")?.compactMap(LedgerEntitlement.EndReason.init).count == 5)
    let properties =
      check.resolve("#/components/schemas/CreditMovement")?["properties"] as? [String: [String: Any]] ?? [:]
    let (causes, accounts) = (
      properties["cause"]?["enum"] as? [String], properties["counterAccount"]?["enum"] as? [String]
    )
    #expect(causes?.compactMap(CreditMovement.Cause.init).count == 7)
    #expect(accounts?.compactMap(CreditMovement.CounterAccount.init).count == 5)
  }
}
