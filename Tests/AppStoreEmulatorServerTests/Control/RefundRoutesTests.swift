import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@Suite("Refunds at the control API", .timeLimit(.minutes(30)))
struct RefundRoutesTests {
  @Test("D1 a refund is shown on the transaction and in the records, and can be reversed; refusals say why")
  func refund() async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.store.purchase(
      BakeryServer.loaf, of: BakeryServer.app, for: "customer", in: .sandbox
    ).record.transactionID
    try await bakery.withClient { client async throws in
      let path = "/control/v1/transactions/\(id)/refund"
      let refunded = try await client.post(path, #"{"reason":1}"#)
      #expect(refunded.status == 200)
      #expect(refunded.object["revocationReason"] as? Int == 1)
      #expect(refunded.object["revocationType"] as? String == "REFUND_FULL")
      #expect(try await client.get("/control/v1/refunds").list("refunds").count == 1)

      for (body, status, code) in [
        ("{}", 409, "notRefundable"), (#"{"percent":5}"#, 400, "malformedRequest"),
        (#"{"reason":2}"#, 400, "malformedRequest"), (#"{"percentage":0}"#, 422, "refundOutOfRange"),
      ] {
        let reply = try await client.post(path, body)
        #expect((reply.status, reply.code) == (status, code), "\(body)")
      }
      #expect(try await client.post("/control/v1/transactions/12/refund", "{}").code == "unknownTransaction")
      #expect(try await client.post("/control/v1/transactions/twelve/refund", "{}").code == "malformedRequest")
      #expect(try await client.get("/control/v1/refunds?custmer=a").code == "malformedRequest")

      #expect(try await client.send(.delete, path, "{}").object["revocationDate"] == nil)
      #expect(try await client.send(.delete, path, "{}").code == "notRefundable")
    }
  }

  @Test("D1 a family is set by the control API and removed by null")
  func family() async throws {
    try await BakeryServer().withClient { client async throws in
      let path = "/control/v1/customers/sandbox/customer"
      #expect(try await client.send(.patch, path, #"{"family":"bakers"}"#).object["family"] as? String == "bakers")
      #expect(try await client.send(.patch, path, #"{"storefront":"DEU"}"#).object["family"] as? String == "bakers")
      #expect(try await client.send(.patch, path, #"{"family":""}"#).code == "emptyName")
      #expect(try await client.send(.patch, path, #"{"family":null}"#).object["family"] == nil)
    }
  }
}
