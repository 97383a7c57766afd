import APIDescription
import Foundation
import HTTPTypes
import PurchaseLedger
import StoreModel
import Testing
import WebSupport

@testable import PurchaseServer

@Suite("The roles of operators", .timeLimit(.minutes(30)))
struct OperatorRoleTests {
  private static let endpoints = ServiceEndpoints.all.compactMap { $0 as? any EndpointWithRole }

  /// The roles that purchase-server.md documents.
  private static let documented: [OperatorRole: Set<String>] = [
    .read: [
      "operatorSelf", "findCustomers", "exportOfCustomer", "recordedExportOfCustomer", "customerSummary",
      "movementsOfCustomer", "operatorKeys", "auditLog", "notifications", "notification", "notificationContents",
      "productsForOperator", "productForOperator", "offeringsForOperator", "operatorHealth", "chart",
      "consumptionRequests", "consumptionRequest",
    ],
    .support: [
      "grant", "revoke", "movePurchase", "liftBlock", "reverify", "replayNotification", "answerConsumptionRequest",
    ],
    .admin: [
      "publishProduct", "uploadContent", "publishContent", "publishOffering", "removeOffering", "erase",
      "createOperatorKey", "revokeOperatorKey", "backUp",
      "importPurchases", "importProgress", "ledgerChanges", "webhooks", "createWebhook", "webhook", "changeWebhook",
      "rotateWebhookSecret", "removeWebhook", "testWebhook", "webhookDeliveries", "resendWebhookDelivery",
      "webhookEvents",
    ],
  ]

  @Test("every endpoint below /v1/operator names the role that it needs, and it is the documented one")
  func named() async throws {
    let routes = try await ServerFixture().service.routes.filter { $0.path.hasPrefix("/v1/operator") }
    #expect(
      Set(routes.map { "\($0.method.rawValue) \($0.path)" })
        == Set(Self.endpoints.map { "\($0.method.http.rawValue) \($0.path)" }))
    for (role, names) in Self.documented {
      #expect(Set(Self.endpoints.filter { $0.role == role }.map(\.name)) == names, "\(role)")
    }
  }

  @Test("every endpoint with every role: a key that may not gets 403 with the needed role, before its body is read")
  func enumerated() async throws {
    let server = try await FilledServer()
    for role in OperatorRole.allCases {
      let key = try await server.fixture.ledger.createOperatorKey(name: "\(role)", role: role, by: .commandLine)
      for endpoint in Self.endpoints {
        let example = try #require(OperationExample.all[endpoint.name], "\(endpoint.name)")
        let audited = try await server.fixture.ledger.auditLog().count
        let reply = try await server.send(example, key: key.token.text)
        if role >= endpoint.role {
          #expect(![401, 403].contains(reply.status), "\(endpoint.name), \(role): \(reply.text)")
        } else {
          #expect((reply.status, reply.code) == (403, "roleRequired"), "\(endpoint.name), \(role): \(reply.text)")
          #expect(reply.object["neededRole"] as? String == endpoint.role.rawValue)
          #expect(try await server.send(example, body: "{", key: key.token.text).status == 403)
          #expect(try await server.fixture.ledger.auditLog().count == audited)
        }
      }
    }
  }

  @Test("a session has the role of its key, and ends with the key; it is no customer's token")
  func sessions() async throws {
    let fixture = try await ServerFixture()
    let key = try await fixture.ledger.createOperatorKey(name: "otto", role: .read, by: .commandLine)
    let session = try await fixture.ledger.beginOperatorSession(key.token).text
    try await fixture.withClient { client in
      let own = try await client.get("/v1/operator/self", token: session)
      #expect(own.text == #"{"name":"otto","role":"read"}"#)
      let grant = try await client.post("/v1/operator/keys", #"{"name":"x","role":"read"}"#, token: session)
      #expect((grant.status, grant.code) == (403, "roleRequired"))
      #expect(try await client.get("\(ServerFixture.path)/customer", token: session).status == 401)
      let path = "/v1/operator/keys/\(key.identity.id)"
      #expect(try await client.send(.delete, path, token: fixture.operatorKey).status == 204)
      #expect(try await client.get("/v1/operator/self", token: session).status == 401)
    }
  }

  @Test("the last key with the role admin is not revoked: 409")
  func lastAdmin() async throws {
    let fixture = try await ServerFixture()
    try await fixture.withClient { client in
      let keys = try await client.get("/v1/operator/keys", token: fixture.operatorKey).list("keys")
      let own = try #require(keys.first { $0["role"] as? String == "admin" }?["id"] as? String)
      let refused = try await client.send(.delete, "/v1/operator/keys/\(own)", token: fixture.operatorKey)
      #expect((refused.status, refused.code) == (409, "lastAdminKey"))
      // Without a role, a key is what all keys were.
      let other = try await client.post("/v1/operator/keys", #"{"name":"otto"}"#, token: fixture.operatorKey)
      #expect(other.object["role"] as? String == "admin")
      let unknown = try await client.post(
        "/v1/operator/keys", #"{"name":"otto","role":"root"}"#, token: fixture.operatorKey)
      #expect((unknown.status, unknown.code) == (400, "malformedRequest"))
      #expect(try await client.send(.delete, "/v1/operator/keys/\(own)", token: fixture.operatorKey).status == 204)
    }
  }

  /// A change that had no reason, the action that it records, and the text of the reason in its request.
  private static let reasoned: [(name: String, action: String, reason: String)] = [
    ("publishProduct", "publishProduct", "a new product"), ("publishContent", "publishContent", "a better poem"),
    ("reverify", "reverify", "a complaint"), ("createOperatorKey", "createOperatorKey", "a new colleague"),
    ("revokeOperatorKey", "revokeOperatorKey", "left"), ("backUp", "backUp", "before the upgrade"),
    ("importPurchases", "import", "moved here"),
    ("recordedExportOfCustomer", "export", "asked for by mail"), ("erase", "erase", "asked for by mail"),
    ("answerConsumptionRequest", "answerConsumptionRequest", "regular"),
    ("createWebhook", "createWebhook", "a new backend"), ("changeWebhook", "changeWebhook", "moved"),
    ("rotateWebhookSecret", "rotateWebhookSecret", "leaked"), ("removeWebhook", "removeWebhook", "unused"),
    ("testWebhook", "testWebhook", "a try"), ("resendWebhookDelivery", "resendWebhookDelivery", "lost"),
  ]

  @Test("the reason of every change is in the audit log, with who did it", arguments: reasoned)
  func reasons(name: String, action: String, reason: String) async throws {
    let server = try await FilledServer()
    var example = try #require(OperationExample.all[name])
    if let body = example.body, !body.contains("reason") {
      example.body = "{\"reason\":\"\(reason)\"," + body.dropFirst()
    }
    server.fixture.clock.advance(seconds: 1)
    let reply = try await server.send(example)
    #expect(reply.status == example.status, "\(reply.text)")
    let entry = try #require(try await server.fixture.ledger.auditLog(limit: 1).first)
    #expect(entry.action == action && entry.operatorName == "olga")
    #expect(entry.detail.hasSuffix(reason), "\(entry.detail)")
    for wrong in ["", String(repeating: "a", count: 1_001)] {
      let (path, body) = (
        example.path.replacing("reason=\(reason)", with: "reason=\(wrong)"),
        example.body?.replacing("\"reason\":\"\(reason)\"", with: "\"reason\":\"\(wrong)\"")
      )
      let changed = OperationExample(
        method: example.method, path: path, body: body, caller: example.caller, status: example.status)
      let refused = try await server.send(changed)
      #expect((refused.status, refused.code) == (422, "reasonRequired"), "\(refused.text)")
    }
  }
}
