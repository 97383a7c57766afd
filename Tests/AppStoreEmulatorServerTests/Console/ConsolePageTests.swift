import AppStoreEmulator
import Foundation
import HTTPTypes
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The console's pages", .timeLimit(.minutes(30)))
struct ConsolePageTests {
  @Test("a store in which nothing happened yet has every page")
  func empty() async throws {
    try await BakeryServer().withClient { client async throws in
      for fixture in ConsoleSection.allCases {
        let page = try await client.page(fixture.address)
        #expect(page.elements.contains { $0.name == "h1" }, "\(fixture)")
        #expect(
          page.elements.filter { $0.attributes["aria-current"] == "page" }.map { $0.attributes["href"] } == [
            fixture.address
          ])
      }
      #expect(try await client.page("/").text.contains("Nothing has been bought yet"))
      _ = try await client.page("/console/purchase")
      _ = try await client.page("/console/product?app=\(BakeryServer.app)&product=\(BakeryServer.loaf)")
      _ = try await client.page("/console/customer?environment=sandbox&name=customer")
    }
  }

  @Test("pages have a policy that runs no inline script, and cannot be framed")
  func policy() async throws {
    try await BakeryServer().withClient { client async throws in
      let policy = try #require(try await client.get("/").headers[.contentSecurityPolicy])
      for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"] {
        #expect(policy.contains(part))
      }
    }
    let framed = EmulatorServer.Configuration(port: 0, pageFramedBy: ["http://127.0.0.1:8070"])
    try await BakeryServer(framed).withClient { client async throws in
      for path in ["/", "/console/nowhere"] {
        #expect(
          try await client.get(path).headers[.contentSecurityPolicy]?.contains("frame-ancestors http://127.0.0.1:8070")
            == true)
      }
    }
  }

  @Test("what there is not is said in a page, with the status of it")
  func refusals() async throws {
    try await BakeryServer().withClient { client async throws in
      let loaf = "product=\(BakeryServer.loaf)"
      for (path, status, text) in [
        ("/console/nowhere", 404, "There is no page"), ("/console/transactions/1", 404, "There is no transaction 1"),
        ("/console/transactions/abc", 404, "abc is no transaction id"),
        ("/?environment=moon", 400, "moon is no environment"),
        ("/?state=lost", 400, "state is one of"), ("/?before=x", 400, "before is a number"),
        ("/?customer=%FF", 400, "not percent-encoded"), ("/?%ZZ=1", 400, "not percent-encoded"),
        ("/?rows=0", 400, "rows is a number"), ("/?rows=501", 400, "rows is a number"),
        ("/console/requests?rows=501", 400, "rows is a number"),
        ("/console/customer?environment=sandbox&name=nobody", 404, "There is no customer “nobody”"),
        ("/console/customer?name=customer", 400, "lacks environment"),
        ("/console/product?app=none&\(loaf)", 404, "No app none"),
        ("/console/product?app=\(BakeryServer.app)&product=none", 404, "has no product none"),
        ("/console/product?app=\(BakeryServer.app)&\(loaf)&storefront=XXX", 400, "XXX is not a storefront"),
        ("/console/catalog?storefront=XXX", 400, "XXX is not a storefront"),
        ("/console/requests?call=sing", 400, "call is one of"),
        ("/console/requests?transaction=x", 400, "x is no transaction id"),
      ] as [(String, Int, String)] {
        #expect(try await client.page(path, status: status).text.contains(text), "\(path)")
      }
    }
  }

  @Test("the list has state, price and customer of each, and finds by what it is asked for")
  func list() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    try await store.addCustomer(Customer(environment: .sandbox, name: "ada", storefrontCountryCode: "JPN"))
    try await store.addCustomer(Customer(environment: .sandbox, name: "kid", needsApproval: true))
    let loaf = try await bakery.order("ada").record.transactionID
    let oven = try await store.purchase(BakeryServer.oven, of: BakeryServer.app, for: "customer", in: .production)
      .record.transactionID
    let refunded = try await bakery.order().record.transactionID
    try await store.refund(refunded, percentage: 50_000)
    _ = try await store.register(BakeryServer.registration("kid's"))
    _ = try await store.signIn(SignInCredentials(account: "kid"), on: "kid's")
    let quote = try await store.quote(PaymentRequest(paymentID: "p", productID: BakeryServer.loaf), for: "kid's")
    _ = try await store.confirm(quote, for: "kid's")
    try await bakery.withClient { client async throws in
      let all = try await client.page("/")
      for text in [
        "3 transactions", "A loaf", "Oven", "525 JPY", "120.00 USD", "unfinished", "refunded in part (50 %)",
        "waiting for approval", "ada", "Production",
      ] { #expect(all.text.contains(text), "\(text)") }
      func found(_ query: String) async throws -> Set<String> {
        let page = try await client.page("/?\(query)")
        return Set(
          page.elements.compactMap { $0.attributes["id"] }.filter { $0.hasPrefix("t-") }.map { String($0.dropFirst(2)) }
        )
      }
      #expect(try await found("") == [loaf.rawValue, oven.rawValue, refunded.rawValue])
      #expect(try await found("customer=ada") == [loaf.rawValue])
      #expect(try await found("environment=production&app=") == [oven.rawValue])
      #expect(try await found("state=refunded") == [refunded.rawValue])
      #expect(try await found("q=AD") == [loaf.rawValue])
      #expect(try await found("q=\(oven)") == [oven.rawValue])
      #expect(try await found("product=\(BakeryServer.oven)&app=\(BakeryServer.app)") == [oven.rawValue])
      #expect(try await found("state=waiting") == [])
      #expect(try await client.page("/?state=waiting").text.contains("1 payment waits for approval"))
      #expect(try await client.page("/?state=finished").text.contains("Nothing is like that"))
      #expect(try await !client.page("/?state=finished").text.contains("waits for approval"))
    }
  }

  @Test("the list goes on page by page, and keeps what was asked for")
  func paging() async throws {
    let bakery = try await BakeryServer()
    for _ in 0..<5 { try await bakery.order() }
    try await bakery.withClient { client async throws in
      var (address, seen): (String?, [String]) = ("/?customer=customer&q=loaf%20%26&rows=2", [])
      #expect(try await client.page(try #require(address)).text.contains("0 transactions found"))
      address = "/?customer=customer&q=loaf&rows=2"
      while let next = address {
        let page = try await client.page(next)
        seen += page.elements.compactMap { $0.attributes["id"] }.filter { $0.hasPrefix("t-") }
        let links = page.elements.compactMap { $0.attributes["href"] }.filter {
          $0.contains("before=") && !$0.contains("rows=")
        }
        address = links.first
        if let address { #expect(address.contains("customer=customer") && address.contains("q=loaf")) }
        // The total does not depend on the page.
        #expect(page.text.contains("5 transactions found"))
      }
      #expect(seen.count == 5 && Set(seen).count == 5)
      #expect(seen == seen.sorted(by: >))
      let more = try await client.page("/?rows=2").elements.first { $0.attributes["data-more"] != nil }
      #expect(more?.attributes["href"] == "/?rows=102")
    }
  }

  @Test("what a family shares is revoked from its page, and cannot be refunded there")
  func revocation() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    for name in ["ada", "bob"] as [AccountName] {
      try await store.addCustomer(Customer(environment: .sandbox, name: name, family: "bakers"))
    }
    _ = try await store.purchase(BakeryServer.oven, of: BakeryServer.app, for: "ada", in: .sandbox)
    let share = try #require(try await store.transactions().first { $0.sharedTransactionID != nil })
    try await bakery.withClient { client async throws in
      let address = "/console/transactions/\(share.record.transactionID)"
      let form = try #require(try await client.page(address).calls["revoke"])
      let reply = try await client.submit(form, page: address)
      #expect((reply.status, reply.headers[.location]) == (303, address))
      let record = try await store.transaction(share.record.transactionID).stored.record
      #expect(record.revocationType == .familyRevoke && record.revocationDate != nil)
      let after = try await client.page(address)
      #expect(after.calls.isEmpty && after.text.contains("The sharing has ended already"))
    }
  }
}
