import AppStoreEmulator
import ControlAPI
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The request journal at the control API", .timeLimit(.minutes(30)))
struct RequestRoutesTests {
  /// Returns a bakery that has received a purchase, a confirmation that it refused, and an invalid receipt.
  private func bakery() async throws -> BakeryServer {
    let bakery = try await BakeryServer()
    _ = try await bakery.receipt()
    try bakery.store.set(Fault(DeclinedCardFault(), id: "card"))
    let phone: InstallationID = "phone in sandbox"
    let payment = PaymentRequest(paymentID: "second", productID: BakeryServer.loaf)
    let quote = try await bakery.store.quote(payment, for: phone)
    _ = try? await bakery.store.confirm(quote, for: phone)
    try? await bakery.store.finish(TransactionID(7), for: phone)
    _ = try await bakery.store.verifyReceipt(Data("{}".utf8), at: .production)
    return bakery
  }

  @Test("shows every request as described, oldest first")
  func list() async throws {
    let reply = try await bakery().withClient { try await $0.get("/control/v1/requests") }
    let requests = reply.list("requests")
    #expect(
      requests.map { $0["call"] as? String } == [
        "register", "signIn", "quote", "confirm", "quote", "confirm", "finish", "verifyReceipt",
      ])
    #expect(reply.object["last"] as? Int == 8)
    #expect(reply.object["kept"] as? Int == 8)
    #expect(reply.object["dropped"] as? Int == 0)
    let refused = requests[5]
    #expect(refused["outcome"] as? String == "refused")
    #expect(refused["code"] as? String == "paymentDeclined")
    #expect((refused["fault"] as? [String: String]) == ["id": "card", "kind": "declinedCard"])
    #expect(refused["paymentId"] as? String == "second")
    #expect(refused["productIds"] as? [String] == [BakeryServer.loaf.rawValue])
    #expect(refused["customer"] as? String == "customer")
    #expect(requests[7]["status"] as? Int == 21002)
    let document = try #require(
      try JSONSerialization.jsonObject(with: try ControlEndpoints.openAPI()) as? [String: Any])
    let check = SchemaCheck(document: document)
    #expect(check.faults(reply.object, ["$ref": "#/components/schemas/RequestJournal"]) == [])
  }

  @Test(
    "each part of a query counts",
    arguments: [
      ("", 8), ("?call=confirm", 2), ("?call=confirm&outcome=answered", 1), ("?outcome=refused", 2),
      ("?environment=production", 1), ("?customer=customer", 6), ("?bundleId=org.example.none", 0),
      ("?installationId=phone%20in%20sandbox", 0), ("?productId=org.example.bakery.loaf", 4), ("?paymentId=second", 2),
      ("?transactionId=7", 1), ("?faultId=card", 1), ("?after=6", 2), ("?limit=3", 3),
    ])
  func query(query: String, number: Int) async throws {
    let bakery = try await bakery()
    let number =
      query.contains("installationId")
      ? bakery.store.requests(RequestFilter(installationID: "phone in sandbox")).count : number
    let reply = try await bakery.withClient { try await $0.get("/control/v1/requests\(query)") }
    #expect(reply.status == 200, "\(reply.message)")
    #expect(reply.list("requests").count == number)
  }

  @Test(
    "what cannot be asked is refused, with words that name it",
    arguments: [
      "verb=confirm", "call=buy", "outcome=good", "limit=0", "limit=10001", "after=x", "transactionId=x",
      "environment=moon",
    ])
  func malformed(query: String) async throws {
    let reply = try await BakeryServer().withClient { try await $0.get("/control/v1/requests?\(query)") }
    #expect((reply.status, reply.code) == (400, "malformedRequest"))
    #expect(
      reply.message.contains(query.split(separator: "=").first ?? "?") || query.hasPrefix("environment")
        || query.hasPrefix("transactionId"))
  }

  @Test("one request has its body and that of its answer; one that is gone is named")
  func details() async throws {
    try await bakery().withClient { client async throws in
      let reply = try await client.get("/control/v1/requests/6")
      #expect((reply.object["request"] as? [String: Any])?["durationMicroseconds"] as? Int != nil)
      let bodies = ["requestBody", "answerBody"].map { reply.object[$0] as? [String: Any] ?? [:] }
      #expect((bodies[0]["json"] as? String)?.contains("\"authenticationCode\":\"(redacted)\"") == true)
      #expect((bodies[1]["json"] as? String)?.contains("\"code\":\"paymentDeclined\"") == true)
      #expect(bodies.allSatisfy { $0["isCut"] as? Bool == false })
      let gone = try await client.get("/control/v1/requests/99")
      #expect((gone.status, gone.code) == (404, "unknownRequest"))
      #expect(gone.message.contains("99"))
    }
  }

  @Test("is emptied, and goes on counting")
  func clear() async throws {
    try await bakery().withClient { client async throws in
      #expect(try await client.send(.delete, "/control/v1/requests", "{}").object["removed"] as? Int == 8)
      let reply = try await client.get("/control/v1/requests")
      #expect(reply.list("requests").isEmpty)
      #expect(reply.object["last"] as? Int == 8)
    }
  }
}
