import APIDescription
import Foundation
import HTTPTypes
import HummingbirdTesting
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

/// Every page that the server has, also one that is added later.
@Suite("Every page for operators", .timeLimit(.minutes(30)))
struct EveryPageTests {
  /// An address of each page.
  private static let addresses = [
    "/operator": "/operator", "/operator/search": "/operator/search?q=nobody",
    "/operator/customer": "/operator/customer?id=CUSTOMER",
    "/operator/movements": "/operator/movements?id=CUSTOMER&app=com.example.reader&unit=coins",
    "/operator/products": "/operator/products?app=com.example.reader",
    "/operator/product": "/operator/product?app=com.example.reader&id=com.example.reader.book",
    "/operator/offerings": "/operator/offerings?app=com.example.reader",
    "/operator/offering": "/operator/offering?app=com.example.reader&id=summer",
    "/operator/notifications": "/operator/notifications?app=com.example.reader",
    "/operator/notification": "/operator/notification?app=com.example.reader&uuid=ASIDE",
    "/operator/refund-requests": "/operator/refund-requests?app=com.example.reader",
    "/operator/refund-request": "/operator/refund-request?app=com.example.reader&uuid=ASKED",
    "/operator/webhooks": "/operator/webhooks", "/operator/webhook": "/operator/webhook?id=WEBHOOK",
    "/operator/charts": "/operator/charts?app=com.example.reader", "/operator/health": "/operator/health",
    "/operator/keys": "/operator/keys", "/operator/audit": "/operator/audit",
  ]

  /// The calls that the pages have forms for. Those for what the customer does not have are missing, such as `liftBlock`.
  private static let calls: [OperatorRole: Set<String>] = [
    .read: ["recordedExportOfCustomer"],
    .support: ["grant", "movePurchase", "reverify", "revoke", "replayNotification", "answerConsumptionRequest"],
    .admin: [
      "erase", "publishProduct", "publishOffering", "removeOffering", "createOperatorKey", "revokeOperatorKey",
      "createWebhook", "changeWebhook", "rotateWebhookSecret", "removeWebhook", "testWebhook", "resendWebhookDelivery",
    ],
  ]

  private static func pages(of fixture: ServerFixture) throws -> [String] {
    let paths = fixture.service.pageRoutes.filter { $0.method == .get && $0.path.hasPrefix("/operator") }.map(\.path)
    #expect(Set(paths) == Set(addresses.keys))
    return paths
  }

  @Test("without a session, every page asks for a key, and has no data; forms are refused, too")
  func closed() async throws {
    let server = try await FilledServer()
    let routes = server.fixture.service.pageRoutes.filter { $0.path.hasPrefix("/operator") }
    #expect(routes.contains { $0.method == .post })
    try await server.fixture.withClient { client in
      for headers in [
        [:], ["Cookie": "openstorekit-operator=\(server.fixture.operatorKey)"],
        ["Authorization": "Bearer \(server.fixture.operatorKey)"],
      ] {
        for route in routes where route.method != .head {
          let address = server.filled(Self.addresses[route.path] ?? route.path)
          let reply = try await client.send(
            route.method, address, route.method == .post ? "" : nil, headers: headers.merging(PageSession.origin) { $1 }
          )
          #expect(reply.status == 401 && reply.text.contains("Operator’s key"), "\(address)")
          #expect(!reply.text.contains(server.reader.customer) || address.contains(server.reader.customer))
          #expect(!reply.text.contains("com.example.reader.book") || address.contains("com.example.reader.book"))
        }
      }
      #expect(try await client.get("/assets/site.css").status == 200)
    }
  }

  @Test(
    "every page with every role: no inline code, no frame, the right token in every form, and forms only for what the role may",
    arguments: OperatorRole.allCases)
  func open(_ role: OperatorRole) async throws {
    let server = try await FilledServer()
    let endpoints = ServiceEndpoints.all.compactMap { $0 as? any EndpointWithRole }
    let key = try await server.fixture.ledger.createOperatorKey(name: "otto", role: role, by: .commandLine)
    let pages = try Self.pages(of: server.fixture)
    try await server.fixture.withClient { client in
      let session = try await PageSession(client, key: key.token.text)
      var offered: Set<String> = []
      for path in pages {
        let address = server.filled(try #require(Self.addresses[path], "\(path) needs an address"))
        let reply = try await session.get(address)
        #expect(reply.status == 200, "\(address): \(reply.text)")
        let policy = try #require(reply.headers[.contentSecurityPolicy])
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "\(path)")
        #expect(!policy.contains("unsafe"), "\(path)")
        #expect(reply.headers[.cacheControl] == "no-store", "\(path)")
        let page = try HTMLCheck(reply.text)
        #expect(page.elements.filter { $0.name == "script" }.allSatisfy { $0.attributes["src"] != nil }, "\(path)")
        let posts = page.elements.filter { $0.name == "form" && $0.attributes["method"] == "post" }
        let forms = page.forms(to: "/operator/call")
        #expect(posts.count == forms.count + 1, "\(path): a form is neither a call nor the sign-out")
        for (id, fields) in forms {
          // The command is made without the call, and needs the token as well.
          #expect(try await session.send(fields, to: "/operator/command").status == 200, "\(path), \(id)")
          for token in ["", String(repeating: "0", count: 64)] {
            for target in ["/operator/call", "/operator/command"] {
              let refused = try await session.send(fields, ["token": token], to: target)
              #expect((refused.status, refused.code) == (403, "foreignForm"), "\(path), \(id), \(target)")
            }
          }
          let call = try #require(fields.first { $0.name == "call" }?.value)
          let endpoint = try #require(endpoints.first { $0.fits(call) }, "\(call)")
          #expect(role >= endpoint.role, "\(path) offers \(endpoint.name)")
          offered.insert(endpoint.name)
        }
      }
      let allowed = Self.calls.filter { role >= $0.key }.values.reduce(into: Set<String>()) { $0.formUnion($1) }
      #expect(offered == allowed)
    }
  }

  @Test("a query that a page does not understand is refused on a page, with what is wrong")
  func queries() async throws {
    let server = try await FilledServer()
    try await server.fixture.withClient { client in
      let session = try await PageSession(client, key: server.fixture.operatorKey)
      for (address, status) in [
        ("/operator/customer", 400), ("/operator/customer?id=x", 400), ("/operator/movements?id=CUSTOMER", 400),
        ("/operator/products?app=none", 404), ("/operator/products?rows=0", 400), ("/operator/products?after=x", 400),
        ("/operator/product?app=com.example.reader&id=none", 404), ("/operator/product", 400),
        ("/operator/product?app=none&id=none&new=yes", 404), ("/operator/offerings?app=none", 404),
        ("/operator/offering?app=com.example.reader&id=none", 404), ("/operator/offering?app=com.example.reader", 400),
        ("/operator/offering?app=com.example.reader&id=a%20b&new=yes", 400),
        ("/operator/offering?app=none&id=none&new=yes", 404), ("/operator/notifications?state=lost", 400),
        ("/operator/notifications?app=none", 404), ("/operator/notification?app=com.example.reader&uuid=none", 404),
        ("/operator/charts?chart=none", 400), ("/operator/charts?app=none", 404), ("/operator/charts?from=x", 400),
        ("/operator/webhook", 400), ("/operator/webhook?id=none", 404),
        ("/operator/webhook?id=WEBHOOK&state=lost", 400), ("/operator/webhook?id=WEBHOOK&after=x", 400),
        ("/operator/webhook?id=WEBHOOK&rows=0", 400),
        ("/operator/keys?after=x", 400), ("/operator/keys?rows=501", 400), ("/operator/audit?before=x", 400),
        ("/operator/nowhere", 404),
      ] {
        let reply = try await session.get(server.filled(address))
        #expect(reply.status == status, "\(address): \(reply.status)")
        #expect(try HTMLCheck(reply.text).text.contains(status == 404 ? "Not found" : "Not possible"), "\(address)")
      }
    }
  }
}

extension EndpointWithRole {
  /// Whether a call, its method and path, is one of this endpoint.
  fileprivate func fits(_ call: String) -> Bool {
    let parts = call.split(separator: " ")
    guard parts.count == 2, parts[0] == method.http.rawValue else { return false }
    let (own, other) = (path.split(separator: "/"), parts[1].split(separator: "/"))
    return own.count == other.count && zip(own, other).allSatisfy { $0.first == "{" || $0 == $1 }
  }
}
