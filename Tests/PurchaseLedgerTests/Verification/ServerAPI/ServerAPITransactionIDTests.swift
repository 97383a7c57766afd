import AppStoreServerAPI
import Foundation
import HTTPTransport
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseLedger

@Suite("Bare transaction ids at the App Store Server API", .timeLimit(.minutes(30)))
struct ServerAPITransactionIDTests {
  private static let anna = CustomerID(rawValue: UUID())

  @Test("G6 a bare transaction id: refused without a call to the store, or after it with the same refusal, or accepted")
  func bareIDs() async throws {
    let scripted = try await ScriptedServerAPI { shop, path, components in
      guard path.hasSuffix("/7"), components.host == "sandbox.test" else { return try .error(.transactionIdNotFound) }
      return try .info(ScriptedServerAPI.signed(by: shop) { $0.appAccountToken = Self.anna.rawValue })
    }
    let (known, unknown) = (
      PurchaseProof.transactionID(TransactionID(7)), PurchaseProof.transactionID(TransactionID(8))
    )
    for proof in [known, unknown] { #expect(await scripted.refusal(of: proof) == .kindNotAccepted(.transactionID)) }
    #expect(await !scripted.verifier.requiresStoreRequest(about: known, for: TeaStore.app))
    #expect(scripted.sender.paths.isEmpty)
    let eve = ProofSender.customer(CustomerID(rawValue: UUID()))
    for proof in [known, unknown] {
      #expect(await scripted.refusal(of: proof, from: eve) == .kindNotAccepted(.transactionID))
    }
    #expect(await scripted.refusal(of: unknown, from: .administrator) == .accountNotFound)
    #expect(await scripted.verifier.requiresStoreRequest(about: known, for: TeaStore.app, from: eve))
    for sender in [ProofSender.customer(Self.anna), .administrator] {
      let proof = try await scripted.verifier.verify(known, for: TeaStore.app, from: sender)
      #expect(proof.purchases.map(\.transactionID) == [TransactionID(7)])
      #expect((proof.environment, proof.issuedDate) == (.sandbox, nil))
      #expect(!proof.isIssued(.vendorIdentifier(UUID())))
    }
    // A failure of the store says nothing about the id.
    let failing = try await ScriptedServerAPI { _, _, _ in .text("", status: 500) }
    #expect(await failing.refusal(of: known, from: eve) == .storeUnavailable(retryAfterSeconds: 30))
    // Other methods cannot ask about it.
    for method in [VerificationPolicy.Method.offline, .both(EmulatorReceiptServer.policy)] {
      let other = try scripted.shop.verifier(method)
      await #expect(throws: ProofRefusal.kindNotAccepted(.transactionID)) {
        try await other.verify(known, for: TeaStore.app, from: .administrator)
      }
    }
  }

  @Test("G6 the id of a redelivery: accepted from whom the purchase's own id is accepted, and no failure of the store")
  func redeliveries() async throws {
    let scripted = try await ScriptedServerAPI { shop, path, components in
      guard path.hasSuffix("/9"), components.host == "sandbox.test" else { return try .error(.transactionIdNotFound) }
      return try .info(
        ScriptedServerAPI.signed(7, TeaStore.teapot, .nonConsumable, by: shop) {
          $0.appAccountToken = Self.anna.rawValue
        })
    }
    let proof = PurchaseProof.transactionID(TransactionID(9))
    for sender in [ProofSender.anonymous, .customer(CustomerID(rawValue: UUID()))] {
      #expect(await scripted.refusal(of: proof, from: sender) == .kindNotAccepted(.transactionID))
    }
    for sender in [ProofSender.customer(Self.anna), .administrator] {
      let verified = try await scripted.verifier.verify(proof, for: TeaStore.app, from: sender)
      #expect(verified.purchases.map(\.transactionID) == [TransactionID(7)])
      #expect(ProvenPurchases(verified).purchase(TransactionID(9))?.transactionID == TransactionID(7))
    }
    #expect(scripted.problems.all.isEmpty)
  }

  @Test("G6 the id of a redelivery beside an app receipt: a purchase of the receipt's customer, with its account token")
  func redeliveriesBesideReceipt() async throws {
    let inReceipt = LockedValue(TransactionID(1))
    let scripted = try await ScriptedServerAPI { shop, path, _ in
      if path.hasPrefix("v2/refund") {
        return try .json(RefundHistoryResponse(signedTransactions: [], revision: "one", hasMore: false))
      }
      let id = path.split(separator: "/").last.flatMap { UInt64($0) } ?? 0
      let delivered: [UInt64: TransactionID] = [
        60: TransactionID(50), 61: TransactionID(51), 62: inReceipt.value,
      ]
      return try .info(
        ScriptedServerAPI.signed(id, by: shop) { transaction in
          guard let record = delivered[id] else { return }
          (transaction.transactionID, transaction.originalTransactionID) = (record, record)
          transaction.appAccountToken = Self.anna.rawValue
          if id == 61 { transaction.appTransactionID = "704000000000000002" }
        })
    }
    let bought = try await scripted.shop.buy(on: try await scripted.shop.phone())
    inReceipt.withLock { $0 = bought.id }
    let proof = try await scripted.verifier.verify(
      .appReceipt(bought.appReceipt), for: TeaStore.app,
      requested: [TransactionID(60), TransactionID(61), TransactionID(62)])
    let purchases = ProvenPurchases(proof)
    #expect(Set(proof.purchases.map(\.transactionID)) == [bought.id, TransactionID(50)])
    #expect(purchases.purchase(TransactionID(60))?.transactionID == TransactionID(50))
    #expect(purchases.purchase(TransactionID(61)) == nil)
    // The receipt has the consumable without its account token.
    #expect(purchases.purchase(TransactionID(62))?.transactionID == bought.id)
    #expect(purchases.purchase(TransactionID(62))?.appAccountToken == Self.anna.rawValue)
    #expect(scripted.problems.all.isEmpty)
  }

  @Test("G6 a reused answer about a bare transaction id: an administrator's is not that of customers")
  func reusedIDs() async throws {
    let scripted = try await ScriptedServerAPI({ $0.reuseSeconds = 5 }) { shop, _, components in
      guard components.host == "sandbox.test" else { return try .error(.transactionIdNotFound) }
      return try .info(ScriptedServerAPI.signed(by: shop) { $0.appAccountToken = Self.anna.rawValue })
    }
    let proof = PurchaseProof.transactionID(TransactionID(7))
    for sender in [ProofSender.customer(Self.anna), .administrator] {
      #expect(await scripted.verifier.requiresStoreRequest(about: proof, for: TeaStore.app, from: sender))
      _ = try await scripted.verifier.verify(proof, for: TeaStore.app, from: sender)
      #expect(await !scripted.verifier.requiresStoreRequest(about: proof, for: TeaStore.app, from: sender))
    }
  }
}
