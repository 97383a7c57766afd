import AppStoreEmulator
import Foundation
import HummingbirdTesting
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("A transaction's proofs through the control API", .timeLimit(.minutes(30)))
struct ProofRoutesTests {
  private struct Proofs: Decodable {
    let signedTransaction: String
    let appReceipt: Data
    let legacyReceipt: Data
  }

  /// The proofs that the control API returns, and how the app's server reads them.
  private struct Judgement {
    let proofs: Proofs
    let transaction: SignedTransaction
    let receipt: AppReceipt
    let legacy: LegacyReceipt
    /// The responses of `verifyReceipt` in the transaction's environment.
    let answers: [[String: Any]]
    /// The statuses of `verifyReceipt` in the other environment.
    let elsewhere: [Int?]
  }

  private func judgement(
    on id: TransactionID, of bakery: BakeryServer, in environment: StoreEnvironment
  ) async throws -> Judgement {
    let reply = try await bakery.withClient { try await $0.get("/control/v1/transactions/\(id)/proofs") }
    #expect(reply.status == 200, "\(reply.message)")
    let proofs = try JSONDecoder().decode(Proofs.self, from: reply.body)
    let verifier = SignedDataVerifier(anchors: try bakery.store.authority.anchors)
    let expectation = Expectation(bundleID: BakeryServer.app, environments: [environment])
    let secret = try await bakery.store.app(BakeryServer.app).sharedSecret
    let own = environment == .production ? "production" : "sandbox"
    let other = environment == .production ? "sandbox" : "production"
    var (answers, elsewhere): ([[String: Any]], [Int?]) = ([], [])
    for receipt in [proofs.appReceipt, proofs.legacyReceipt] {
      let body = try json(["receipt-data": receipt.base64EncodedString(), "password": secret])
      answers.append(try await bakery.withClient { try await $0.post("/\(own)/verifyReceipt", body) }.object)
      elsewhere.append(
        try await bakery.withClient { try await $0.post("/\(other)/verifyReceipt", body) }.object["status"] as? Int)
    }
    return Judgement(
      proofs: proofs,
      transaction: try await verifier.verifyTransaction(proofs.signedTransaction, expecting: expectation).value,
      receipt: try await verifier.verifyAppReceipt(proofs.appReceipt, expecting: expectation).value,
      legacy: try await verifier.verifyLegacyReceipt(proofs.legacyReceipt, expecting: expectation).value,
      answers: answers, elsewhere: elsewhere)
  }

  private func inApp(_ answer: [String: Any]) -> [[String: Any]] {
    (answer["receipt"] as? [String: Any])?["in_app"] as? [[String: Any]] ?? []
  }

  @Test(
    "F3 G1 H1 of a purchase without a device, all three are believed by the verifiers and by verifyReceipt, in its environment only",
    arguments: [StoreEnvironment.production, .sandbox], [BakeryServer.loaf, BakeryServer.oven])
  func purchase(_ environment: StoreEnvironment, _ product: ProductID) async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.store.purchase(product, of: BakeryServer.app, for: "customer", in: environment)
      .record.transactionID
    let judgement = try await judgement(on: id, of: bakery, in: environment)
    #expect(judgement.transaction.transactionID == id)
    #expect(judgement.receipt.inAppPurchases.map(\.transactionID) == [id])
    #expect(judgement.legacy.transactionID == id)
    #expect(judgement.answers.map { $0["status"] as? Int } == [0, 0])
    #expect(judgement.elsewhere == (environment == .production ? [21008, 21008] : [21007, 21007]))
    #expect(inApp(judgement.answers[0]).map { $0["transaction_id"] as? String } == [id.rawValue])
    #expect((judgement.answers[1]["receipt"] as? [String: Any])?["transaction_id"] as? String == id.rawValue)
    #expect(try await bakery.store.installations().isEmpty, "nothing was made up in the books")
  }

  @Test(
    "F3 after a refund, and after its reversal, they say so; the receipt is later than the one before",
    arguments: [BakeryServer.loaf, BakeryServer.oven])
  func refund(_ product: ProductID) async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.store.purchase(product, of: BakeryServer.app, for: "customer", in: .sandbox)
      .record.transactionID
    let before = try await judgement(on: id, of: bakery, in: .sandbox)
    #expect(before.transaction.revocationDate == nil)
    #expect(inApp(before.answers[0]).first?["cancellation_date"] == nil)

    try await bakery.store.refund(id, reason: .other, percentage: 50_000)
    let after = try await judgement(on: id, of: bakery, in: .sandbox)
    #expect(after.transaction.revocationDate != nil)
    #expect(after.transaction.revocationPercentage == 50_000)
    #expect(after.receipt.inAppPurchases.first?.cancellationDate != nil)
    #expect(after.receipt.creationDate > before.receipt.creationDate)
    #expect(after.answers.map { $0["status"] as? Int }.first == 0)
    #expect(inApp(after.answers[0]).first?["cancellation_date"] is String)

    try await bakery.store.reverseRefund(of: id)
    let reversed = try await judgement(on: id, of: bakery, in: .sandbox)
    #expect(reversed.transaction.revocationDate == nil)
    #expect(reversed.receipt.creationDate > after.receipt.creationDate)
    #expect(inApp(reversed.answers[0]).first?["cancellation_date"] == nil)
  }

  @Test(
    "where the customer has a device they are that device's, and a consumable leaves the app receipt when it is finished"
  )
  func device() async throws {
    let bakery = try await BakeryServer()
    _ = try await bakery.store.register(BakeryServer.registration())
    _ = try await bakery.store.signIn(SignInCredentials(account: "customer"), on: "phone")
    let id = try await bakery.store.purchase(
      BakeryServer.loaf, of: BakeryServer.app, for: "customer", in: .sandbox, installationID: "phone"
    ).record.transactionID
    let verifier = SignedDataVerifier(anchors: try bakery.store.authority.anchors)
    var expectation = Expectation(bundleID: BakeryServer.app, environments: [.sandbox])
    expectation.device = .vendorIdentifier(BakeryServer.device)
    let unfinished = try await judgement(on: id, of: bakery, in: .sandbox)
    _ = try await verifier.verifyAppReceipt(unfinished.proofs.appReceipt, expecting: expectation)
    #expect(unfinished.receipt.inAppPurchases.map(\.transactionID) == [id])
    try await bakery.store.finish(id, for: "phone")
    let finished = try await judgement(on: id, of: bakery, in: .sandbox)
    #expect(finished.receipt.inAppPurchases.isEmpty)
    #expect(finished.legacy.transactionID == id)
    #expect(finished.transaction.transactionID == id)
  }

  @Test("a transaction that is not there is refused")
  func unknown() async throws {
    let replies = try await BakeryServer().withClient { client async throws in
      [
        try await client.get("/control/v1/transactions/12/proofs"),
        try await client.get("/control/v1/transactions/x/proofs"),
      ]
    }
    #expect(replies.map(\.status) == [404, 400])
    #expect(replies.map(\.code) == ["unknownTransaction", "malformedRequest"])
  }

  @Test("G6 proofs with an expired certificate are refused by verifyReceipt; an unknown validity is named")
  func expiredCertificate() async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.order().record.transactionID
    try await bakery.withClient { client async throws in
      for (certificate, status) in [
        ("valid", 0), ("expired", 21002), ("notYetValid", 21002), ("rotatedIntermediate", 0),
        ("wrongSignature", 21002),
      ] {
        let reply = try await client.get("/control/v1/transactions/\(id)/proofs?certificate=\(certificate)")
        let proofs = try JSONDecoder().decode(Proofs.self, from: reply.body)
        let answer = try await client.post(
          "/sandbox/verifyReceipt", try json(["receipt-data": proofs.appReceipt.base64EncodedString()]))
        #expect(answer.object["status"] as? Int == status, "\(certificate)")
      }
      let refused = try await client.get("/control/v1/transactions/\(id)/proofs?certificate=old")
      #expect((refused.status, refused.code) == (400, "malformedRequest"))
      // In 2063 there is no later certificate, and the clock is not to blame.
      _ = try await client.send(.patch, "/control/v1/clock", #"{"now":2950000000000}"#)
      let last = try await client.get("/control/v1/transactions/\(id)/proofs?certificate=notYetValid")
      #expect((last.status, last.code) == (422, "dateOutsideCertificates"))
      #expect(last.message.contains("no certificate that is not valid yet"), "\(last.message)")
    }
  }
}
