import AppStoreEmulatorServer
import Testing

@Suite("Requests without a body", .timeLimit(.minutes(30)))
struct EmptyBodyTests {
  @Test("A body whose members are all optional may be omitted; otherwise the error names a missing member")
  func omitted() async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.order().record.transactionID.rawValue
    try await bakery.withClient { client async throws in
      let refund = try await client.send(.post, "/control/v1/transactions/\(id)/refund")
      #expect(refund.status == 200)
      #expect(refund.object["state"] as? String == "refunded")

      let purchase = try await client.send(.post, "/control/v1/purchases")
      #expect((purchase.status, purchase.code) == (400, "malformedRequest"))
      #expect(purchase.message.contains("is missing"))

      let document = try await client.get("/control/openapi.json").object
      #expect(Self.needsBody("/purchases", in: document) == true)
      #expect(Self.needsBody("/transactions/{transactionId}/refund", in: document) == false)
    }
  }

  private static func needsBody(_ path: String, in document: [String: Any]) -> Bool? {
    ["paths", path, "post", "requestBody", "required"].reduce(document as Any?) { ($0 as? [String: Any])?[$1] } as? Bool
  }
}
