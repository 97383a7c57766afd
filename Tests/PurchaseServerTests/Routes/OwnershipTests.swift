import Foundation
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("What customers own", .timeLimit(.minutes(30)))
struct OwnershipTests {
  private static let spends = "\(ServerFixture.path)/credits/coins/spends"

  /// Returns a server, and a customer with `purchases` times five coins.
  private func fixture(purchases: Int = 1) async throws -> (ServerFixture, ServerFixture.Reader) {
    let fixture = try await ServerFixture()
    let (phone, reader) = (try await fixture.bookStore.phone(), try await fixture.reader())
    let purchase = try await fixture.bookStore.buy(quantity: purchases, on: phone)
    let reply = try await fixture.withClient { try await $0.redeem(purchase, token: reader.token) }
    #expect(reply.status == 200)
    return (fixture, reader)
  }

  @Test("a spend returns its movement; the same key again is the same spend")
  func spend() async throws {
    let (fixture, reader) = try await fixture()
    try await fixture.withClient { client in
      let first = try await client.post(Self.spends, #"{"key":"level 3","amount":2}"#, token: reader.token)
      #expect(first.status == 200)
      #expect(first.object["amount"] as? Int == -2)
      #expect(first.object["balance"] as? Int == 3)
      #expect(first.object["cause"] as? String == "spend")
      let again = try await client.post(Self.spends, #"{"key":"level 3","amount":2}"#, token: reader.token)
      #expect(again.body == first.body)
      let credits = try await client.get("\(ServerFixture.path)/credits", token: reader.token)
      #expect(credits.list("credits").first?["balance"] as? Int == 3)
    }
  }

  @Test(
    "an invalid spend: its status, its code, and no movement",
    arguments: [
      (#"{"key":"a","amount":6}"#, 409, "insufficientCredits"),
      (#"{"key":"used","amount":2}"#, 409, "keyReused"),
      (#"{"key":"a","amount":0}"#, 422, "amountOutOfRange"),
      (#"{"key":"a","amount":-1}"#, 422, "amountOutOfRange"),
      (#"{"key":"a","amount":1000000000001}"#, 422, "amountOutOfRange"),
      (#"{"key":"a","amount":9223372036854775807}"#, 422, "amountOutOfRange"),
      (#"{"key":"a","amount":-9223372036854775808}"#, 422, "amountOutOfRange"),
      (#"{"key":"a","amount":9223372036854775808}"#, 400, "malformedRequest"),
      (#"{"key":"a","amount":1e999}"#, 400, "malformedRequest"),
      (#"{"key":"a","amount":1.5}"#, 400, "malformedRequest"),
      (#"{"key":"a","amount":"1"}"#, 400, "malformedRequest"),
      (#"{"key":"","amount":1}"#, 422, "invalid"),
      (#"{"key":"a\u0000b","amount":1}"#, 400, "malformedRequest"),
      (#"{"key":7,"amount":1}"#, 400, "malformedRequest"),
      (#"{"key":"a"}"#, 400, "malformedRequest"),
      (#"[]"#, 400, "malformedRequest"),
      ("", 400, "malformedRequest"),
      ("\u{FEFF}{", 400, "malformedRequest"),
    ])
  func refusedSpends(body: String, status: Int, code: String) async throws {
    let (fixture, reader) = try await fixture()
    try await fixture.withClient { client in
      _ = try await client.post(Self.spends, #"{"key":"used","amount":1}"#, token: reader.token)
      let reply = try await client.post(Self.spends, body, token: reader.token)
      #expect((reply.status, reply.code) == (status, code), "\(reply.text)")
      let credits = try await client.get("\(ServerFixture.path)/credits", token: reader.token)
      #expect(credits.list("credits").first?["balance"] as? Int == 4)
      #expect(credits.list("credits").first?["movements"] as? Int == 2)
    }
  }

  @Test("the history comes in pages, the newest movement first, without gaps or duplicates")
  func pages() async throws {
    let (fixture, reader) = try await fixture(purchases: 2)
    try await fixture.withClient { client in
      for number in 1...7 {
        _ = try await client.post(Self.spends, #"{"key":"spend \#(number)","amount":1}"#, token: reader.token)
      }
      var (seen, before): ([Int], String) = ([], "")
      while true {
        let page = try await client.get(
          "\(ServerFixture.path)/credits/coins/movements?limit=3\(before)", token: reader.token)
        #expect(page.status == 200)
        let numbers = page.list("movements").compactMap { $0["sequence"] as? Int }
        #expect(numbers.count <= 3)
        guard let last = numbers.last else { break }
        seen += numbers
        before = "&before=\(last)"
      }
      #expect(seen == Array((1...8).reversed()))
    }
  }

  @Test(
    "an invalid page is refused",
    arguments: [
      ("limit=0", 422), ("limit=1001", 422), ("limit=-9223372036854775808", 422), ("limit=x", 400), ("limit=", 400),
      ("before=1e3", 400), ("before=9223372036854775808", 400), ("befor=3", 400), ("limit=%00", 400),
    ])
  func refusedPages(query: String, status: Int) async throws {
    let (fixture, reader) = try await fixture()
    let reply = try await fixture.withClient {
      try await $0.get("\(ServerFixture.path)/credits/coins/movements?\(query)", token: reader.token)
    }
    #expect(reply.status == status, "\(reply.text)")
    #expect(reply.code == (status == 400 ? "malformedRequest" : "invalid"))
  }

  @Test("an invalid unit is refused, an unused one is empty")
  func units() async throws {
    let (fixture, reader) = try await fixture()
    try await fixture.withClient { client in
      for unit in ["%00", "a%20b", "a%2Fb", "%F0%9F%92%B0", String(repeating: "a", count: 65), "%FF"] {
        let reply = try await client.get("\(ServerFixture.path)/credits/\(unit)/movements", token: reader.token)
        #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(unit)")
      }
      let none = try await client.get("\(ServerFixture.path)/credits/gems/movements", token: reader.token)
      #expect(none.text == #"{"movements":[]}"#)
    }
  }

  @Test("a limited grant is active until its access expires, by the server's clock")
  func entitlements() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    let until = fixture.clock.now.adding(seconds: 60)
    try await fixture.ledger.grant(
      .product(BookStore.magazine, accessUntil: until), to: try #require(CustomerID(reader.customer)),
      app: BookStore.app, key: "trial",
      reason: "a trial", by: "olga")
    try await fixture.withClient { client in
      let now = try await client.get("\(ServerFixture.path)/entitlements", token: reader.token)
      let entitlement = try #require(now.list("entitlements").first)
      #expect(entitlement["isActive"] as? Bool == true)
      #expect(entitlement["origin"] as? String == "granted")
      #expect(entitlement["accessUntil"] as? Int64 == until.millisecondsSince1970)
      fixture.clock.set(until)
      let later = try await client.get("\(ServerFixture.path)/entitlements", token: reader.token)
      #expect(later.list("entitlements").first?["isActive"] as? Bool == false)
    }
  }

  @Test("one customer's token shows no data of another customer")
  func apart() async throws {
    let (fixture, _) = try await fixture()
    let other = try await fixture.reader()
    #expect(try await fixture.belongings(of: other.token) == ServerFixture.nothing)
  }

  @Test("a token of another app gives no access")
  func otherApp() async throws {
    let fixture = try await ServerFixture()
    let player = try await fixture.reader(app: BookStore.otherApp)
    try await fixture.withClient { client in
      let paths = [
        "customer", "customer/state", "customer/export", "entitlements", "credits", "credits/coins/movements",
        "deliveries",
      ]
      for path in paths {
        let reply = try await client.get("\(ServerFixture.path)/\(path)", token: player.token)
        #expect((reply.status, reply.code) == (401, "tokenRefused"), "\(path)")
      }
      let erased = try await client.send(.delete, "\(ServerFixture.path)/customer", token: player.token)
      #expect(erased.status == 401)
      #expect(try await client.get("/v1/apps/\(BookStore.otherApp)/customer", token: player.token).status == 200)
    }
  }
}
