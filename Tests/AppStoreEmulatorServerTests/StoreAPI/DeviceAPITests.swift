import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The device API", .timeLimit(.minutes(30)))
struct DeviceAPITests {
  private func message(_ installation: InstallationID, _ call: some StoreCall) throws -> String {
    let message = DeviceAPI.Request(installationID: installation, call: call)
    return String(decoding: try DeviceAPI.encoder().encode(message), as: UTF8.self)
  }

  @Test("every verb is a POST of its name, and no other method is answered")
  func verbs() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      for verb in DeviceAPI.Verb.allCases {
        #expect(try await client.post("/device/v1/\(verb.rawValue)", "{}").status == 400)
        #expect(try await client.get("/device/v1/\(verb.rawValue)").status == 404)
      }
      #expect(try await client.post("/device/v1/refund", "{}").status == 404)
    }
  }

  @Test("a refusal is its code and words, with the HTTP status that fits")
  func refusals() async throws {
    let bakery = try await BakeryServer()
    _ = try await bakery.store.register(BakeryServer.registration())
    try await bakery.store.addCustomer(Customer(environment: .sandbox, name: "ada", password: "secret"))
    let loaf = PaymentRequest(paymentID: "p", productID: BakeryServer.loaf)
    let cases: [(String, String, Int, String)] = [
      ("products", try message("stranger", ProductsCall(productIDs: [BakeryServer.loaf])), 404, "unknownInstallation"),
      ("quote", try message("phone", QuoteCall(payment: loaf)), 401, "signInRequired"),
      (
        "signIn", try message("phone", SignInCall(credentials: SignInCredentials(account: "ada", password: "x"))), 401,
        "signInRefused"
      ),
      ("finish", try message("phone", FinishCall(transactionID: TransactionID(7))), 404, "unknownTransaction"),
      ("appTransaction", try message("phone", AppTransactionCall()), 401, "signInRequired"),
      (
        "requestRefund", try message("phone", RequestRefundCall(transactionID: TransactionID(7), reason: .other)), 401,
        "signInRequired"
      ),
    ]
    try await bakery.withClient { client async throws in
      for (verb, body, status, code) in cases {
        let reply = try await client.post("/device/v1/\(verb)", body)
        #expect((reply.status, reply.code) == (status, code))
        #expect(!reply.message.isEmpty)
      }
    }
    _ = try await bakery.store.signIn(SignInCredentials(account: "customer"), on: "phone")
    let quote = try await bakery.store.quote(loaf, for: "phone")
    let later: [(String, String, Int, String)] = [
      (
        "quote", try message("phone", QuoteCall(payment: PaymentRequest(paymentID: "p", productID: "cake"))), 404,
        "productNotAvailable"
      ),
      (
        "quote",
        try message(
          "phone", QuoteCall(payment: PaymentRequest(paymentID: "p", productID: BakeryServer.loaf, quantity: 11))), 400,
        "paymentInvalid"
      ),
      ("confirm", try message("tablet", ConfirmCall(quote: quote)), 404, "unknownInstallation"),
    ]
    try await bakery.withClient { client async throws in
      for (verb, body, status, code) in later {
        let reply = try await client.post("/device/v1/\(verb)", body)
        #expect((reply.status, reply.code) == (status, code))
      }
    }
  }

  @Test("a refund that is requested twice, or after a refund, is 409, and an unknown reason 400")
  func refunds() async throws {
    let bakery = try await BakeryServer()
    _ = try await bakery.store.register(BakeryServer.registration())
    _ = try await bakery.store.signIn(SignInCredentials(account: "customer"), on: "phone")
    let id = try await bakery.order().record.transactionID
    let body = try message("phone", RequestRefundCall(transactionID: id, reason: .legal))
    try await bakery.withClient { client async throws in
      #expect(try await client.post("/device/v1/requestRefund", body).status == 200)
      let again = try await client.post("/device/v1/requestRefund", body)
      #expect((again.status, again.code) == (409, "refundRequested"))
      try await bakery.store.refund(id)
      let refunded = try await client.post("/device/v1/requestRefund", body)
      #expect((refunded.status, refunded.code) == (409, "refundNotPossible"))
      let unknown = body.replacing("legal", with: "boredom")
      #expect(try await client.post("/device/v1/requestRefund", unknown).status == 400)
    }
  }

  @Test("C2 a declined card is 402, and a used payment id 409")
  func paymentRefusals() async throws {
    let bakery = try await BakeryServer()
    _ = try await bakery.store.register(BakeryServer.registration())
    _ = try await bakery.store.signIn(SignInCredentials(account: "customer"), on: "phone")
    let first = try await bakery.store.quote(PaymentRequest(paymentID: "p", productID: BakeryServer.loaf), for: "phone")
    let other = try await bakery.store.quote(
      PaymentRequest(paymentID: "p", productID: BakeryServer.loaf, quantity: 2), for: "phone")
    _ = try await bakery.store.confirm(first, for: "phone")
    try await bakery.store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .declined }
    let declined = try await bakery.store.quote(
      PaymentRequest(paymentID: "q", productID: BakeryServer.loaf), for: "phone")
    let bodies = (try message("phone", ConfirmCall(quote: other)), try message("phone", ConfirmCall(quote: declined)))
    try await bakery.withClient { client async throws in
      let conflict = try await client.post("/device/v1/confirm", bodies.0)
      #expect((conflict.status, conflict.code) == (409, "paymentConflict"))
      let refused = try await client.post("/device/v1/confirm", bodies.1)
      #expect((refused.status, refused.code) == (402, "paymentDeclined"))
    }
    #expect(try await bakery.store.charges().count == 1)
  }

  @Test("malformed JSON is refused, and the field that does not fit is named")
  func malformed() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      for (body, word) in [
        ("", ""), ("{", ""), ("[]", ""), ("{}", "installationID"), (#"{"installationID":"phone"}"#, "call"),
        (#"{"installationID":"phone","call":{"payment":{"productID":"x","quantity":1}}}"#, "paymentID"),
        (
          #"{"installationID":"phone","call":{"payment":{"paymentID":"p","productID":"x","quantity":"one"}}}"#,
          "call.payment.quantity"
        ),
        (#"{"installationID":"phone","call":{"payment":{"paymentID":"p","productID":"x","quantity":1.5}}}"#, ""),
        (#"{"installationID":"phone","call":{"payment":{"paymentID":"p","productID":"x","quantity":1e99}}}"#, ""),
        (#"{"installationID":7,"call":{}}"#, "installationID"),
      ] {
        let reply = try await client.post("/device/v1/quote", body)
        #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(body)")
        #expect(word.isEmpty || reply.message.contains(word), "\(body): \(reply.message)")
      }
      let finish = try await client.post(
        "/device/v1/finish", #"{"installationID":"phone","call":{"transactionID":"twelve"}}"#)
      #expect((finish.status, finish.code) == (400, "malformedRequest"))
      let nested = #"{"installationID":"phone","call":"# + String(repeating: "[", count: 50_000)
      #expect(try await client.post("/device/v1/quote", nested).status == 400)
    }
  }
}
