import Foundation
import HTTPTypes
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("A full disk", .timeLimit(.minutes(10)))
struct FullDiskTests {
  @Test(
    "C6 answers 503 with Retry-After to redemptions, spends and registrations, which succeed when there is space; reads go on"
  )
  func full() async throws {
    var options = ServerFixture.Options()
    let database = FailingDatabase(try SQLiteLedgerDatabase(at: nil))
    options.database = database
    let fixture = try await ServerFixture(options)
    let phone = try await fixture.bookStore.phone()
    let reader = try await fixture.reader(on: phone)
    let coins = try await fixture.bookStore.buy(on: phone)
    let more = try await fixture.bookStore.buy(as: "payment 2", on: phone)
    try await fixture.withClient { client in
      #expect(try await client.redeem(coins, token: reader.token).status == 200)
      database.isFull = true
      for reply in [
        try await client.redeem(more, token: reader.token),
        try await client.post(
          "\(ServerFixture.path)/credits/coins/spends", #"{"key":"one","amount":2}"#, token: reader.token),
        try await client.post("\(ServerFixture.path)/installations", "{}"),
        try await client.send(.delete, "\(ServerFixture.path)/customer", token: reader.token),
        try await client.post("/v1/operator/keys", #"{"name":"ben"}"#, token: fixture.operatorKey),
        try await client.get("/ready"),
      ] {
        #expect((reply.status, reply.code) == (503, "notWritable"), "\(reply.text)")
        #expect(reply.headers[.retryAfter] != nil)
      }
      #expect(try await client.get("\(ServerFixture.path)/credits", token: reader.token).status == 200)
      #expect(try await client.get("\(ServerFixture.path)/customer/export", token: reader.token).status == 200)
      database.isFull = false
      #expect(try await client.redeem(more, token: reader.token).status == 200)
      let spend = try await client.post(
        "\(ServerFixture.path)/credits/coins/spends", #"{"key":"one","amount":2}"#, token: reader.token)
      #expect(spend.object["balance"] as? Int == 8)
    }
  }

  @Test("every error of a database becomes 503 with Retry-After if the same request can succeed later, else 500")
  func errors() {
    for (error, status) in [
      (LedgerDatabaseError.overloaded, 503), (.unavailable(reason: ""), 503), (.closed, 503), (.full(reason: ""), 503),
      (.failed(reason: ""), 500), (.unexpectedRow(""), 500), (.newerSchema(""), 500), (.notDurable(setting: ""), 500),
    ] {
      let response = error.errorResponse.response
      #expect(response.status.code == status, "\(error)")
      #expect((response.headers[.retryAfter] != nil) == (status == 503), "\(error)")
    }
  }
}
