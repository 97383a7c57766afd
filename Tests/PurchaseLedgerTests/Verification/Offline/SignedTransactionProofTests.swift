import AppStoreEmulator
import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Signed transactions as proofs", .timeLimit(.minutes(30)))
struct SignedTransactionProofTests {
  private func transaction(_ shop: TeaStore) async throws -> SignedTransaction {
    try UnverifiedJWS(try await shop.buy(on: try await shop.phone()).signedTransaction).transaction()
  }

  private func verified(_ shop: TeaStore, _ transaction: SignedTransaction) async throws -> VerifiedProof {
    let jws = try shop.store.authority.signTransaction(transaction)
    return try await shop.verifier(.offline).verify(.signedTransaction(jws), for: TeaStore.app)
  }

  @Test("G6 a signed transaction of the store: its purchase, dated by the signature, for its device and customer")
  func genuine() async throws {
    let shop = try await TeaStore()
    let phone = try await shop.phone()
    let customer = UUID()
    let bought = try await shop.buy(quantity: 2, username: customer.uuidString, on: phone)
    let proof = PurchaseProof.signedTransaction(bought.signedTransaction)
    for method in [VerificationPolicy.Method.offline, .both(EmulatorReceiptServer.policy)] {
      let verified = try await shop.verifier(method, proofKinds: [.signedTransaction]).verify(proof, for: TeaStore.app)
      let contents = try UnverifiedJWS(bought.signedTransaction).transaction()
      #expect(verified.purchases.map(\.transactionID) == [bought.id])
      #expect(verified.purchases.map(\.quantity) == [2])
      #expect(verified.purchases.map(\.type) == [.consumable])
      #expect(verified.purchases.map(\.appAccountToken) == [customer])
      #expect(verified.purchases.map(\.ownership) == [.purchased])
      #expect(verified.statedDate == contents.signedDate)
      #expect(verified.isIssued(phone.device) == contents.isIssued(for: phone.device))
      #expect(!verified.isIssued(.vendorIdentifier(UUID())))
    }
    #expect(shop.store.requests().allSatisfy { $0.metadata.kind != .verifyReceipt })
  }

  @Test("G6 a revocation has its date, reason and percentage; without a percentage it is a full one")
  func revocation() async throws {
    let shop = try await TeaStore()
    var transaction = try await transaction(shop)
    let date = transaction.signedDate
    #expect(try await verified(shop, transaction).purchases.map(\.revocation) == [nil])
    transaction.revocationDate = date
    transaction.rawRevocationReason = 1
    #expect(try await verified(shop, transaction).purchases.map(\.revocation) == [.init(date: date, reason: 1)])
    transaction.revocationPercentage = 33_000
    #expect(
      try await verified(shop, transaction).purchases.map(\.revocation)
        == [.init(date: date, reason: 1, percentage: 33_000)])
    for percentage in [0, -1, 100_001] as [Int64] {
      transaction.revocationPercentage = percentage
      await #expect(throws: ProofRefusal.unreadable(detail: "its revocationPercentage is not from 1 to 100000")) {
        try await verified(shop, transaction)
      }
    }
  }

  @Test("G6 altered, foreign, another app's, from an environment that is not accepted: each has its own refusal")
  func refusals() async throws {
    let shop = try await TeaStore()
    let keys = FileManager.default.temporaryDirectory.appending(path: "tea-store-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: keys) }
    let other = try await TeaStore(keyDirectory: keys)
    var contents = try await transaction(shop)
    let jws = try shop.store.authority.signTransaction(contents)
    let parts = jws.split(separator: ".")
    contents.quantity = 7
    let payload = try shop.store.authority.signTransaction(contents).split(separator: ".")[1]
    let coffee = try await shop.buy(
      as: "payment 2", on: try await shop.phone("coffee phone", app: TeaStore.otherApp))
    let verifier = try shop.verifier(.offline)
    for (text, name) in [
      ("\(parts[0]).\(payload).\(parts[2])", "forged"),
      (try await other.buy(on: try await other.phone()).signedTransaction, "forged"),
      (coffee.signedTransaction, "wrongApp"), ("", "unreadable"), ("a.b.c", "unreadable"),
      (String(jws.dropLast(80)), "unreadable"),
    ] {
      #expect(await verifier.refusal(.signedTransaction(text))?.name == name)
    }
    let strict = try shop.verifier(.offline, environments: [.production])
    #expect(await strict.refusal(.signedTransaction(jws))?.name == "wrongEnvironment")
    let suspicious = try shop.verifier(.offline, anchors: .apple)
    #expect(await suspicious.refusal(.signedTransaction(jws))?.name == "forged")
  }
}
