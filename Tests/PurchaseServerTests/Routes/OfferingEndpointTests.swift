import Foundation
import HTTPTypes
import HummingbirdTesting
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

/// Tests the requests of Documentation/offerings.md.
@Suite("Offerings and names over HTTP", .timeLimit(.minutes(30)))
struct OfferingEndpointTests {
  private static let offerings = "\(ServerFixture.path)/offerings"
  private static let operators = "/v1/operator/apps/com.example.reader"
  private static let product = "\(operators)/products/\(BookStore.poem)"

  @Test(
    "the offerings are public, in their order, without unlisted products; metadata is passed on as it is",
    arguments: LedgerDatabaseKind.allCases)
  func list(_ kind: LedgerDatabaseKind) async throws {
    try await kind.withDatabase { database in
      var options = ServerFixture.Options()
      options.database = database
      let fixture = try await ServerFixture(options)
      try await fixture.withClient { client in
        let empty = try await client.get(Self.offerings)
        #expect(empty.text == #"{"bundleId":"com.example.reader","offerings":[]}"#)
        let metadata = #"{"a":[1,2.5,-3,true,null],"b":{"c":"ü \" \\ 😀"},"z":""}"#
        let body = """
          {"products":["\(BookStore.poem)","\(BookStore.sticker)","\(BookStore.book)"],"metadata":\(metadata),"isCurrent":true}
          """
        let published = try await client.send(
          .put, "\(Self.operators)/offerings/summer", body, token: fixture.operatorKey)
        #expect(published.status == 200, "\(published.text)")
        #expect(published.object["unlisted"] as? [String] == [BookStore.sticker.rawValue])
        #expect(published.object["isCurrent"] as? Bool == true)
        let second = try await client.send(
          .put, "\(Self.operators)/offerings/autumn", #"{"products":["\#(BookStore.sticker)"]}"#,
          token: fixture.operatorKey)
        #expect(second.status == 200, "\(second.text)")
        let list = try await client.get(Self.offerings)
        #expect(
          list.text == """
            {"bundleId":"com.example.reader","current":"summer","offerings":[{"id":"autumn","metadata":{},"products":[]},\
            {"id":"summer","metadata":\(metadata),"products":["\(BookStore.poem)","\(BookStore.book)"]}]}
            """)
        let all = try await client.get("\(Self.operators)/offerings", token: fixture.operatorKey).list("offerings")
        #expect(all.map { $0["id"] as? String } == ["autumn", "summer"])
        #expect((all[1]["products"] as? [String])?.count == 3)
        let removed = try await client.send(
          .delete, "\(Self.operators)/offerings/summer?reason=over", token: fixture.operatorKey)
        #expect(removed.status == 204)
        #expect(try await client.get(Self.offerings).object["current"] == nil)
        let again = try await client.send(
          .delete, "\(Self.operators)/offerings/summer", token: fixture.operatorKey)
        #expect((again.status, again.code) == (404, "unknownOffering"))
      }
    }
  }

  @Test("unchanged offerings are 304; a change, also of a product's listing, is not; HEAD has the tag, too")
  func conditions() async throws {
    let fixture = try await ServerFixture()
    let summer = Offering(
      id: try #require(OfferingID(rawValue: "summer")), products: [BookStore.book, BookStore.poem], isCurrent: true)
    try await fixture.ledger.publish(summer, app: BookStore.app, by: "olga")
    try await fixture.withClient { client in
      let first = try await client.get(Self.offerings)
      let tag = try #require(first.headers[.eTag])
      #expect(first.headers[.cacheControl] == "public, max-age=0, must-revalidate")
      let same = try await client.get(Self.offerings, headers: ["If-None-Match": tag])
      #expect((same.status, same.body.count, same.headers[.eTag]) == (304, 0, tag))
      let head = try await client.send(.head, Self.offerings)
      #expect((head.status, head.headers[.eTag]) == (200, tag))
      // Publishing the same offering again is no change.
      fixture.clock.advance(seconds: 1)
      try await fixture.ledger.publish(summer, app: BookStore.app, by: "olga")
      #expect(try await client.get(Self.offerings, headers: ["If-None-Match": tag]).status == 304)
      try await fixture.ledger.publish(
        LedgerProduct(id: BookStore.poem, type: .nonConsumable, isListed: false), app: BookStore.app, by: "olga")
      let changed = try await client.get(Self.offerings, headers: ["If-None-Match": tag])
      #expect(changed.status == 200)
      #expect(changed.list("offerings").first?["products"] as? [String] == [BookStore.book.rawValue])
      #expect(try await client.get("/v1/apps/none/offerings").code == "unknownApp")
    }
  }

  private static func body(_ metadata: String) -> String {
    "{\"products\":[\"\(BookStore.book)\"],\"metadata\":\(metadata)}"
  }

  @Test("no member of metadata is lost: names that are canonically equivalent are refused, and so is what is no JSON")
  func metadata() async throws {
    let fixture = try await ServerFixture()
    let path = "\(Self.operators)/offerings/summer"
    try await fixture.withClient { client in
      for (metadata, reason) in [
        (#"{"\u00e9":1,"e\u0301":2}"#, "occurs twice"), ("{\"a\":[{\"\u{E9}\":1,\"e\u{301}\":2}]}", "occurs twice"),
        (#"{"a":1,}"#, "not valid JSON"), (#"{"a":[01]}"#, "a number begins with a needless zero"),
        (#"{"a":[1e400]}"#, "out of range"),
      ] {
        let reply = try await client.send(.put, path, Self.body(metadata), token: fixture.operatorKey)
        #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(metadata): \(reply.text)")
        #expect(reply.message.contains(reason), "\(metadata): \(reply.text)")
      }
      // Each of the forms is kept as it is, also if the other one is stored.
      for name in ["\u{E9}", "e\u{301}"] {
        let reply = try await client.send(
          .put, path, Self.body("{\"\(name)\":\"\(name)\"}"), token: fixture.operatorKey)
        #expect(reply.status == 200, "\(reply.text)")
        let list = try await client.get(Self.offerings).body
        #expect(list.range(of: Data("{\"\(name)\":\"\(name)\"}".utf8)) != nil)
      }
    }
  }

  @Test("what is not valid gets its status and code, and changes nothing")
  func invalid() async throws {
    let fixture = try await ServerFixture()
    let (book, long) = ("\"\(BookStore.book)\"", String(repeating: "x", count: 16_384))
    func sold(_ member: String) -> String { "{\"products\":[\(book)],\(member)}" }
    let cases: [(String, String, Int, String)] = [
      ("a", #"{"products":[]}"#, 422, "invalid"),
      ("a", #"{"products":["none"]}"#, 404, "unknownProduct"),
      ("a", "{\"products\":[\(book),\(book)]}", 422, "invalid"),
      ("a", sold(#""metadata":[]"#), 422, "invalid"),
      ("a", sold(#""metadata":"x""#), 422, "invalid"),
      ("a", sold("\"metadata\":{\"a\":\"\(long)\"}"), 422, "invalid"),
      ("a", sold(#""metadata":{"a":"\u0000"}"#), 400, "malformedRequest"),
      ("a", "{\"products\":\(book)}", 400, "malformedRequest"),
      ("a", sold(#""reason":"""#), 422, "reasonRequired"),
      ("a%20b", sold(#""isCurrent":true"#), 400, "malformedRequest"),
      (String(repeating: "a", count: 65), sold(#""isCurrent":true"#), 400, "malformedRequest"),
    ]
    try await fixture.withClient { client in
      for (id, body, status, code) in cases {
        let reply = try await client.send(
          .put, "\(Self.operators)/offerings/\(id)", body, token: fixture.operatorKey)
        #expect((reply.status, reply.code) == (status, code), "\(body.prefix(80)): \(reply.text.prefix(200))")
      }
      for names in [#"["a b"]"#, #"[""]"#, #""club""#, "[1]"] {
        let reply = try await client.send(
          .put, Self.product, #"{"type":"Non-Consumable","entitlements":\#(names)}"#, token: fixture.operatorKey)
        #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(names): \(reply.text)")
      }
      #expect(try await client.get(Self.offerings).list("offerings").isEmpty)
    }
  }

  @Test(
    "names are published with a product, listed to apps, and what a customer has by name is on the first page",
    arguments: LedgerDatabaseKind.allCases)
  func names(_ kind: LedgerDatabaseKind) async throws {
    try await kind.withDatabase { database in
      var options = ServerFixture.Options()
      options.database = database
      let fixture = try await ServerFixture(options)
      let reader = try await fixture.reader()
      let customer = try #require(CustomerID(reader.customer))
      let end = fixture.clock.now.adding(seconds: 100)
      for (product, accessUntil) in [(BookStore.poem, end), (BookStore.magazine, nil)] as [(ProductID, StoreDate?)] {
        try await fixture.ledger.grant(
          .product(product, accessUntil: accessUntil), to: customer, app: BookStore.app, key: product.rawValue,
          reason: "test", by: "olga")
      }
      try await fixture.withClient { client in
        let published = try await client.send(
          .put, Self.product, #"{"type":"Non-Consumable","entitlements":["reading","club","reading"]}"#,
          token: fixture.operatorKey)
        #expect(published.object["entitlements"] as? [String] == ["club", "reading"], "\(published.text)")
        let listed = try await client.get("\(ServerFixture.path)/products").list("products")
        func names(_ product: ProductID) -> [String]? {
          listed.first { $0["productId"] as? String == product.rawValue }?["entitlements"] as? [String]
        }
        #expect(names(BookStore.poem) == ["club", "reading"])
        #expect(names(BookStore.book) == [])

        let milliseconds = end.millisecondsSince1970
        func element(_ name: String, _ isActive: Bool) -> String {
          #"{"accessUntil":\#(milliseconds),"isActive":\#(isActive),"name":"\#(name)","products":["\#(BookStore.poem)"]}"#
        }
        func expectNamed(_ isActive: Bool) async throws {
          let named = #""named":[\#(element("club", isActive)),\#(element("reading", isActive))]"#
          for path in ["entitlements", "customer/state"] {
            let first = try await client.get("\(ServerFixture.path)/\(path)?limit=1", token: reader.token)
            #expect(first.text.contains(named), "\(path): \(first.text)")
            let next = try #require(first.object["next"] as? String)
            let second = try await client.get(
              "\(ServerFixture.path)/\(path)?limit=1&after=\(next)", token: reader.token)
            #expect(second.list("entitlements").count == 1 && second.object["named"] == nil, "\(second.text)")
          }
        }
        try await expectNamed(true)
        fixture.clock.set(end)
        try await expectNamed(false)
        let summary = try await client.get(
          "/v1/operator/customers/\(reader.customer)/summary", token: fixture.operatorKey)
        #expect(summary.list("named").map { $0["app"] as? String } == ["com.example.reader", "com.example.reader"])
        // What is published replaces what was.
        _ = try await client.send(
          .put, Self.product, #"{"type":"Non-Consumable"}"#, token: fixture.operatorKey)
        let without = try await client.get("\(ServerFixture.path)/entitlements", token: reader.token)
        #expect(without.object["named"] as? [String] == [])
        #expect(without.list("entitlements").count == 2)
      }
    }
  }
}
