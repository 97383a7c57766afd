import AppStoreServerAPI
import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Documentation/storekit2.md, "Verification".
@Suite("Device proofs", .timeLimit(.minutes(30)))
struct DeviceProofTests {
  /// Everything that a phone receives signed: transactions, renewal information and an app transaction.
  private struct Received {
    var transactions: [String] = []
    var renewalInfo: [String] = []
    var appTransactions: [String] = []

    /// Buys a subscription and a non-consumable, and makes every call whose answer is signed.
    init(_ shop: TeaShop, on phone: Phone) async throws {
      let store = shop.store
      transactions += try await shop.buy(TeaShop.yearly, as: "club", on: phone).deliveries.map(\.signedTransaction)
      transactions += try await shop.buy(TeaShop.samovar, as: "one", on: phone).deliveries.map(\.signedTransaction)
      // A redelivery.
      transactions += try await shop.buy(TeaShop.samovar, as: "two", on: phone).deliveries.map(\.signedTransaction)
      transactions += try await store.unfinished(for: phone.id).deliveries.map(\.signedTransaction)
      for stored in try await store.transactions() {
        try await store.finish(stored.record.transactionID, for: phone.id)
      }
      transactions += try await shop.restored(on: phone).map(\.signedTransaction)
      let page = try await store.transactions(after: nil, withStatuses: true, for: phone.id)
      transactions += page.transactions.map(\.signedTransaction)
      transactions += (page.statuses ?? []).map(\.signedTransaction)
      renewalInfo += (page.statuses ?? []).map(\.signedRenewalInfo)
      appTransactions.append(try await store.appTransaction(for: phone.id))
    }

    /// The faults that a verifier finds for a device; nil for valid data.
    func faults(for device: DeviceIdentifier, in shop: TeaShop) async throws -> Set<VerificationFailure.Fault?> {
      let verifier = SignedDataVerifier(anchors: try shop.anchors)
      let expectation = Expectation(environments: [.sandbox], device: device)
      var faults: Set<VerificationFailure.Fault?> = []
      func note(_ verify: () async throws -> Void) async throws {
        do {
          try await verify()
          faults.insert(nil)
        } catch let failure as VerificationFailure {
          faults.insert(failure.fault)
        }
      }
      for jws in transactions {
        try await note { _ = try await verifier.verifyTransaction(jws, expecting: expectation) }
      }
      for jws in renewalInfo {
        try await note { _ = try await verifier.verifyRenewalInfo(jws, expecting: expectation) }
      }
      for jws in appTransactions {
        try await note { _ = try await verifier.verifyAppTransaction(jws, expecting: expectation) }
      }
      return faults
    }
  }

  @Test("everything that a device receives is for this device, and not for another one")
  func ofDevice() async throws {
    let shop = try await TeaShop.lasting()
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet"))
    let received = try await Received(shop, on: phone)
    #expect(received.transactions.count == 11 && received.renewalInfo.count == 1)
    #expect(try await received.faults(for: phone.device, in: shop) == [nil])
    #expect(try await received.faults(for: tablet.device, in: shop) == [.device])
  }

  @Test("no two proofs have the same nonce")
  func nonces() async throws {
    let shop = try await TeaShop.lasting()
    let received = try await Received(shop, on: try await shop.phone())
    let nonces = try received.transactions.map { try UnverifiedJWS($0).transaction().deviceVerificationNonce }
    #expect(Set(nonces).count == received.transactions.count && !nonces.contains(nil))
  }

  @Test("the same seed gives the same signed bytes")
  func seeds() async throws {
    func payloads() async throws -> [[UInt8]] {
      let shop = try await TeaShop.lasting()
      let received = try await Received(shop, on: try await shop.phone())
      return try (received.transactions + received.renewalInfo + received.appTransactions)
        .map { try UnverifiedJWS($0).contents.payload }
    }
    #expect(try await payloads() == payloads())
  }

  @Test("what servers receive has no proof")
  func ofServers() async throws {
    let shop = try await TeaShop.lasting()
    let (server, phone) = (try await TeaServer(shop), try await shop.phone())
    try await shop.buy(TeaShop.yearly, on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    #expect(try await server.info(id).deviceVerification == nil)
    let proofs = try await shop.store.proofs(of: id)
    #expect(try UnverifiedJWS(proofs.signedTransaction).transaction().deviceVerificationNonce == nil)
    let status = try #require(
      try await server.send(GetAllSubscriptionStatuses(anyTransactionId: id)).data.first?.lastTransactions.first)
    let info = try SignedRenewalInfo(payload: UnverifiedJWS(status.signedRenewalInfo).contents.payload)
    #expect(info.deviceVerification == nil && info.deviceVerificationNonce == nil)
    let app = try await server.send(GetAppTransactionInfo(anyTransactionId: id)).signedAppTransactionInfo
    #expect(try SignedAppTransaction(payload: UnverifiedJWS(app).contents.payload).deviceVerification == nil)
  }

  @Test("with the fault, only the device proof is wrong, in each call; it ends with the fault")
  func fault() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    try shop.store.set(Fault(WrongDeviceFault(), id: "wrong"))
    let wrong = try await Received(shop, on: phone)
    #expect(try await wrong.faults(for: phone.device, in: shop) == [.device])
    let verifier = SignedDataVerifier(anchors: try shop.anchors)
    for jws in wrong.transactions { _ = try await verifier.verifyTransaction(jws) }
    // Receipts have a digest of their own, which stays right.
    let receipt = try await shop.freshReceipt(for: phone)
    _ = try await verifier.verifyAppReceipt(receipt, expecting: Expectation(device: phone.device))
    try shop.store.removeFault("wrong")
    let page = try await shop.store.transactions(after: nil, for: phone.id)
    #expect(
      try page.transactions.allSatisfy {
        try UnverifiedJWS($0.signedTransaction).transaction().isIssued(for: phone.device)
      })
  }
}
