import Foundation
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Customers at the doors", .timeLimit(.minutes(10)))
struct CustomerDoorTests {
  private static let installations = "\(ReadingRoom.path)/installations"

  @Test("an installation becomes an anonymous customer, with a token that is told once")
  func install() async throws {
    let room = try await ReadingRoom()
    try await room.doors { client in
      for body in [
        "{}", #"{"device":null}"#, #"{"device":"6F6A3A1C-7B7B-4F3E-9E33-0A1B2C3D4E5F"}"#,
        #"{"device":"00:1b:63:84:45:e6"}"#,
      ] {
        let reply = try await client.post(Self.installations, body)
        #expect(reply.status == 201, "\(body)")
        let token = try #require(reply.object["token"] as? String)
        #expect(token.wholeMatch(of: /customer_[A-Za-z0-9_-]{43}/) != nil)
        #expect(reply.headers[.cacheControl] == "no-store")
        let who = try await client.get("\(ReadingRoom.path)/customer", token: token)
        #expect(who.object["customer"] as? String == reply.object["customer"] as? String)
        #expect(who.object["isIdentified"] as? Bool == false)
        let export = try await client.get("\(ReadingRoom.path)/customer/export", token: token)
        #expect(!export.text.contains(token))
      }
    }
  }

  @Test(
    "a device that is none is refused",
    arguments: [#"{"device":""}"#, #"{"device":"x"}"#, #"{"device":7}"#, #"{"device":"a\u0000b"}"#, #"{"Device":"x"}"#])
  func devices(body: String) async throws {
    let reply = try await ReadingRoom().doors { try await $0.post(Self.installations, body) }
    #expect([400, 422].contains(reply.status))
    #expect(reply.code == "malformedRequest")
  }

  @Test(
    "an app that is not served has no doors", arguments: ["com.example.none", "%00", "..", "com.example.reader%00"])
  func apps(app: String) async throws {
    let room = try await ReadingRoom()
    let reader = try await room.reader()
    try await room.doors { client in
      for (method, path) in [
        ("GET", "products"), ("POST", "installations"), ("GET", "customer"), ("DELETE", "customer"),
      ] {
        let reply = try await client.send(
          .init(rawValue: method)!, "/v1/apps/\(app)/\(path)", method == "POST" ? "{}" : nil, token: reader.token)
        #expect([400, 404].contains(reply.status), "\(method) \(path): \(reply.text)")
        #expect(reply.code != nil)
      }
      #expect(try await client.get("\(ReadingRoom.path)/customer", token: reader.token).status == 200)
    }
  }

  @Test("signing out ends the token, and no other")
  func signOut() async throws {
    let room = try await ReadingRoom()
    let (reader, other) = (try await room.reader(), try await room.reader())
    try await room.doors { client in
      let path = "\(Self.installations)/current"
      #expect(try await client.send(.delete, path, token: reader.token).status == 204)
      let reply = try await client.get("\(ReadingRoom.path)/customer", token: reader.token)
      #expect((reply.status, reply.code) == (401, "tokenRefused"))
      #expect(try await client.get("\(ReadingRoom.path)/customer", token: other.token).status == 200)
    }
  }

  @Test(
    "export gives everything of one customer; erasure ends it; credits are not given again, what lasts can be brought back"
  )
  func erasure() async throws {
    let room = try await ReadingRoom()
    let phone = try await room.books.phone()
    let reader = try await room.reader(on: phone)
    let coins = try await room.books.buy(on: phone)
    let purchase = try await room.books.buy(BookStore.book, as: "payment 2", on: phone)
    try await room.doors { client in
      _ = try await client.redeem(coins, token: reader.token)
      let link = try #require(try await client.redeem(purchase, token: reader.token).files().first?["link"] as? String)
      let export = try await client.get("\(ReadingRoom.path)/customer/export", token: reader.token)
      #expect(export.object["customer"] as? String == reader.customer)
      #expect(export.list("purchases").last?["claim"] as? String == purchase.id.rawValue)
      #expect(export.list("installations").first?["device"] as? String != nil)
      #expect(try await client.send(.delete, "\(ReadingRoom.path)/customer", token: reader.token).status == 204)
      #expect(try await client.get("\(ReadingRoom.path)/customer", token: reader.token).status == 401)
      #expect(try await client.get("/\(link)").code == "deliveryEnded")
    }
    let newcomer = try await room.reader(on: phone)
    try await room.doors { client in
      let again = try await client.redeem(coins, token: newcomer.token)
      #expect((again.status, again.code) == (409, "claimedByAnotherCustomer"))
      #expect(try await client.redeem(purchase, token: newcomer.token).given.count == 1)
    }
  }

  @Test("D2 a reinstalled app joins the customer it was: both tokens are of that customer")
  func join() async throws {
    let room = try await ReadingRoom()
    let phone = try await room.books.phone()
    let (first, second) = (try await room.reader(on: phone), try await room.reader(on: phone))
    let purchase = try await room.books.buy(BookStore.book, on: phone)
    try await room.doors { client in
      _ = try await client.redeem(purchase, token: first.token)
      let reply = try await client.redeem(purchase, token: second.token)
      #expect(reply.status == 200)
      #expect(reply.object["customer"] as? String == first.customer)
      for token in [first.token, second.token] {
        let who = try await client.get("\(ReadingRoom.path)/customer", token: token)
        #expect(who.object["customer"] as? String == first.customer)
      }
    }
  }

  @Test("what is asked while the customer is joined with another is done for that one")
  func joinMeanwhile() async throws {
    let room = try await ReadingRoom(.init(method: .verifyReceipt(StoreDoor.policy)))
    let phone = try await room.books.phone()
    let (first, second) = (try await room.reader(on: phone), try await room.reader(on: phone))
    let book = try await room.books.buy(BookStore.book, on: phone)
    #expect(try await room.doors { try await $0.redeem(book, token: first.token) }.status == 200)
    let poem = try await room.books.buy(BookStore.poem, as: "payment 2", on: phone)
    let gate = Gate()
    room.door.wait(for: gate)
    // This request is authenticated as the second customer, and then waits for the store.
    async let late = room.doors {
      try await $0.post(
        "\(ReadingRoom.path)/redemptions", order(poem.proof, [poem.id]), token: second.token)
    }
    await gate.somebodyWaits()
    let claimant = try await room.ledger.authenticate(BearerToken(text: second.token))
    let proof = try await ProofVerifier(
      anchors: room.books.anchors, policies: [VerificationPolicy(bundleID: BookStore.app, method: .offline)],
      server: room.door, clock: room.clock
    ).verify(.appReceipt(book.appReceipt), for: BookStore.app)
    let joined = try await room.ledger.redeem(proof, .purchases([.init(transactionID: book.id)]), for: claimant)
    #expect("\(joined.customer)" == first.customer)
    await gate.open()
    let reply = try await late
    #expect((reply.status, reply.object["customer"] as? String) == (200, first.customer))
  }

  @Test("an operator's key opens no customer's door, and a customer's token none of an operator")
  func wrongDoors() async throws {
    let room = try await ReadingRoom()
    let reader = try await room.reader()
    try await room.doors { client in
      for path in ["customer", "entitlements", "credits", "deliveries", "customer/export"] {
        let reply = try await client.get("\(ReadingRoom.path)/\(path)", token: room.operatorKey)
        #expect((reply.status, reply.code) == (401, "tokenRefused"))
      }
      for path in ["keys", "audit", "customers?subject=x", "customers/\(reader.customer)"] {
        let reply = try await client.get("/v1/operator/\(path)", token: reader.token)
        #expect((reply.status, reply.code) == (401, "tokenRequired"))
      }
    }
  }

  private static let credentials: [String] = [
    "", "Bearer", "Bearer ", "Basic Y3VzdG9tZXI6", "bearer customer_", "Bearer customer_\u{FF}",
    "Bearer " + String(repeating: "a", count: 9_000), "customer_x", "Bearer a b c",
  ]

  @Test("what is no token opens nothing", arguments: credentials)
  func noToken(header: String) async throws {
    let reply = try await ReadingRoom().doors {
      try await $0.get("\(ReadingRoom.path)/customer", headers: ["Authorization": header])
    }
    #expect(reply.status == 401)
    #expect(["tokenRequired", "tokenRefused"].contains(reply.code))
  }
}
