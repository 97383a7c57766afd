import AppStoreEmulator
import AppStoreServerAPI
import Foundation
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("openstorekit transactions refund-request", .timeLimit(.minutes(30)))
struct RefundRequestCommandTests {
  @Test("a customer asks, the request is decided, and both are in the list and in the transaction's timeline")
  func askAndDecide() async throws {
    try await RunningStore.open { store in
      let id = try await store.buy()
      let none = try await store.run("transactions", "refund-request", "list", id)
      #expect((none.output, none.messages) == ("", "No refund was asked for.\n"))
      let asked = try await store.run("transactions", "refund-request", "ask", id, "--reason", "fulfillment-issue")
      #expect(asked.lines == ["1  2026-07-01 12:00:00Z  FULFILLMENT_ISSUE  waits for a decision"])
      let twice = try await store.run("transactions", "refund-request", "ask", id)
      #expect(twice.status == 1 && twice.messages.contains("not decided yet"))
      let declined = try await store.run("transactions", "refund-request", "decide", id, "1", "declined")
      #expect(declined.lines == ["1  2026-07-01 12:00:00Z  FULFILLMENT_ISSUE  declined"])
      #expect(try await store.store.refunds().isEmpty)

      #expect(try await store.run("transactions", "refund-request", "ask", id).status == 0)
      let part = try await store.run(
        "transactions", "refund-request", "decide", id, "2", "prorated", "--percent", "33.333", "--json")
      #expect(part.json?["percentage"] as? Int == 33_333)
      #expect(try await store.store.refunds().map(\.amount) == [Milliunits(1_160)])
      #expect(
        try await store.run("transactions", "refund-request", "list", id).lines == [
          "1  2026-07-01 12:00:00Z  FULFILLMENT_ISSUE  declined",
          "2  2026-07-01 12:00:00Z  OTHER  refunded in part: 33.333 percent",
        ])
      #expect(
        try await store.run("transactions", "show", id).lines.suffix(6).map { line in
          line.split(separator: /[ ]{2,}/).dropFirst().joined(separator: ": ")
        } == [
          "charged 3.50 USD: customer", "refund requested: FULFILLMENT_ISSUE", "refund request declined",
          "refund requested: OTHER", "refund request granted in part: 33.333 percent", "refunded 1.16 USD: customer",
        ])
      for (arguments, word) in [
        (["ask", "7"], "7"), (["decide", id, "2", "full"], "decided before"), (["decide", id, "9", "full"], "9"),
      ] {
        let refused = try await RunningStore.run(
          ["transactions", "refund-request"] + arguments + ["--store", store.address])
        #expect(refused.status == 1 && refused.messages.contains(word), "\(refused.messages)")
      }
    }
  }

  @Test("the list shows what the developer's server told")
  func information() async throws {
    try await RunningStore.open { store in
      let id = try await store.buy()
      _ = try await store.run("transactions", "refund-request", "ask", id)
      let key = try await store.run("keys", "add", "--bundle-id", RunningStore.app.rawValue, "--json").json
      let token = try ServerAPIKey(
        keyID: try #require(key?["keyId"] as? String), issuerID: try #require(key?["issuerId"] as? String),
        pem: try #require(key?["privateKey"] as? String)
      ).token(for: RunningStore.app, at: RunningStore.opening).text
      let told = try await store.serverAPI(
        "PUT", "v2/transactions/consumption/\(id)", token: token,
        body: #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED"}"#)
      #expect(told == "202")
      let lines = try await store.run("transactions", "refund-request", "list", id).lines
      #expect(lines.count == 2 && lines[1].hasPrefix("   the server told on 2026-07-01 12:00:00Z: {"))
      #expect(lines[1].contains(#""deliveryStatus":"DELIVERED""#))
    }
  }

  @Test(
    "wrong usage is exit status 2",
    arguments: [
      ["ask"], ["ask", "x"], ["ask", "1", "--reason", "none"], ["decide", "1"], ["decide", "1", "one", "full"],
      ["decide", "1", "1", "half"], ["decide", "1", "1", "prorated"], ["decide", "1", "1", "full", "--percent", "5"],
      ["decide", "1", "1", "prorated", "--percent", "100"], ["list"],
    ])
  func usage(arguments: [String]) async throws {
    #expect(try await RunningStore.run(["transactions", "refund-request"] + arguments).status == 2)
  }
}
