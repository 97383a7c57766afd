import AppStoreEmulator
import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Verification policies", .timeLimit(.minutes(30)))
struct PolicyTests {
  @Test("production and the sandbox are accepted unless the policy says otherwise")
  func defaultEnvironments() {
    #expect(VerificationPolicy(bundleID: "a", method: .offline).environments == [.production, .sandbox])
    #expect(VerifyReceiptPolicy().productionURL.absoluteString == "https://buy.itunes.apple.com/verifyReceipt")
    #expect(VerifyReceiptPolicy().sandboxURL.absoluteString == "https://sandbox.itunes.apple.com/verifyReceipt")
  }

  @Test("an app without a policy is unknown, also for reverification")
  func unknownApp() async throws {
    let shop = try await TeaStore()
    let verifier = try shop.verifier(.offline)
    #expect(
      await verifier.refusal(ScriptedVerifier.receipt, for: "org.example.unheard") == .unknownApp("org.example.unheard")
    )
    await #expect(throws: ProofRefusal.unknownApp("org.example.unheard")) {
      try await verifier.verifyAgain(ScriptedVerifier.receipt, for: "org.example.unheard")
    }
  }

  @Test("G6 under verifyReceipt, signed transactions are refused, so the request to the store cannot be avoided")
  func kinds() async throws {
    let scripted = try ScriptedVerifier([StoreAnswer.app()])
    #expect(await scripted.refusal(.signedTransaction("a.b.c")) == .kindNotAccepted(.signedTransaction))
    #expect(scripted.server.requests.isEmpty)
    let shop = try await TeaStore()
    let bought = PurchaseProof.signedTransaction(try await shop.buy(on: try await shop.phone()).signedTransaction)
    #expect(
      try await shop.verifier(.both(EmulatorReceiptServer.policy)).refusal(bought)
        == .kindNotAccepted(.signedTransaction))
    #expect(try await shop.verifier(.offline).refusal(bought) == nil)
  }

  @Test("G6 a policy accepts only the kinds of proof that it lists")
  func namedKinds() async throws {
    let shop = try await TeaStore()
    let bought = try await shop.buy(on: try await shop.phone())
    let proofs: [PurchaseProof] = [
      .appReceipt(bought.appReceipt), .legacyReceipt(bought.legacyReceipt),
      .signedTransaction(bought.signedTransaction),
    ]
    for taken in proofs {
      for method in [VerificationPolicy.Method.offline, .both(EmulatorReceiptServer.policy)] {
        let verifier = try shop.verifier(method, proofKinds: [taken.kind])
        for proof in proofs {
          #expect(await verifier.refusal(proof) == (proof == taken ? nil : .kindNotAccepted(proof.kind)))
        }
      }
    }
  }

  @Test("a kind that is no longer accepted is still reverified: its claims still exist")
  func formerKind() async throws {
    let shop = try await TeaStore()
    let bought = try await shop.buy(on: try await shop.phone())
    let verifier = try shop.verifier(.both(EmulatorReceiptServer.policy), proofKinds: [.appReceipt])
    let again = try await verifier.verifyAgain(.legacyReceipt(bought.legacyReceipt), for: TeaStore.app)
    #expect(again?.purchases.map(\.transactionID) == [bought.id])
  }

  @Test("the proofs that require a request to the store", arguments: [PurchaseProof.Kind.appReceipt, .legacyReceipt])
  func asking(kind: PurchaseProof.Kind) async throws {
    let shop = try await TeaStore()
    let asking = try shop.verifier(.both(EmulatorReceiptServer.policy))
    let proof: PurchaseProof = kind == .appReceipt ? .appReceipt(Data([1])) : .legacyReceipt(Data([1]))
    #expect(await asking.requiresStoreRequest(about: proof, for: TeaStore.app))
    #expect(await !asking.requiresStoreRequest(about: .signedTransaction(""), for: TeaStore.app))
    #expect(await !asking.requiresStoreRequest(about: proof, for: "org.example.unheard"))
    #expect(try await !shop.verifier(.offline).requiresStoreRequest(about: proof, for: TeaStore.app))
  }

  @Test("both: a receipt that fails here is not sent to the store")
  func bothOfflineFirst() async throws {
    let shop = try await TeaStore()
    let bought = try await shop.buy(on: try await shop.phone())
    shop.store.clearRequests()
    let verifier = try shop.verifier(.both(EmulatorReceiptServer.policy))
    #expect(await verifier.refusal(.appReceipt(bought.appReceipt.withLastByteFlipped))?.name == "forged")
    let strict = try shop.verifier(.both(EmulatorReceiptServer.policy), environments: [.production])
    #expect(await strict.refusal(.appReceipt(bought.appReceipt))?.name == "wrongEnvironment")
    #expect(shop.store.requests().isEmpty)
  }

  @Test(
    "both: a receipt that is valid here and refused by the store is reported to the operator, and nothing is granted")
  func bothStoreSecond() async throws {
    let shop = try await TeaStore()
    let bought = try await shop.buy(on: try await shop.phone())
    let server = ScriptedReceiptServer([.production: [.status(21003)]])
    let verifier = try ProofVerifier(
      anchors: try shop.anchors,
      policies: [VerificationPolicy(bundleID: TeaStore.app, method: .both(EmulatorReceiptServer.policy))],
      server: server, clock: SteppingClock(dates: shop.clock))
    for proof in [PurchaseProof.appReceipt(bought.appReceipt), .legacyReceipt(bought.legacyReceipt)] {
      #expect(await verifier.refusal(proof) == .storeUnavailable(retryAfterSeconds: 30))
    }
    #expect(server.requests.count == 8)
  }

  @Test("both: the store's answer is used; the receipt adds its device and the types of the products")
  func bothNewest() async throws {
    let shop = try await TeaStore()
    let phone = try await shop.phone()
    let bought = try await shop.buy(TeaStore.teapot, on: phone)
    let id = bought.id.rawValue
    let refund: [String: Any] = ["product_id": "org.example.teahouse.teapot", "cancellation_date_ms": "1782993600000"]
    let server = ScriptedReceiptServer([
      .production: [.status(21007)],
      .sandbox: [StoreAnswer.app([StoreAnswer.purchase(id, refund)], answer: ["environment": "Sandbox"])],
    ])
    let verifier = try ProofVerifier(
      anchors: try shop.anchors,
      policies: [VerificationPolicy(bundleID: TeaStore.app, method: .both(EmulatorReceiptServer.policy))],
      server: server, clock: shop.clock)
    let verified = try await verifier.verify(.appReceipt(bought.appReceipt), for: TeaStore.app)
    #expect(verified.purchases.map(\.revocation?.date.millisecondsSince1970) == [1_782_993_600_000])
    #expect(verified.purchases.map(\.type) == [.nonConsumable])
    #expect(verified.statedDate.millisecondsSince1970 == StoreAnswer.asked)
    #expect(verified.isIssued(phone.device))
  }

  @Test("reverification sends a request to the store, but none for the method offline or signed transactions")
  func again() async throws {
    let shop = try await TeaStore()
    let bought = try await shop.buy(on: try await shop.phone())
    let receipt = PurchaseProof.appReceipt(bought.appReceipt)
    let transaction = PurchaseProof.signedTransaction(bought.signedTransaction)
    shop.store.clearRequests()
    #expect(try await shop.verifier(.offline).verifyAgain(receipt, for: TeaStore.app) == nil)
    for method in [
      VerificationPolicy.Method.offline, .verifyReceipt(EmulatorReceiptServer.policy),
      .both(EmulatorReceiptServer.policy),
    ] {
      #expect(try await shop.verifier(method).verifyAgain(transaction, for: TeaStore.app) == nil)
    }
    #expect(shop.store.requests().isEmpty)
    for method in [
      VerificationPolicy.Method.verifyReceipt(EmulatorReceiptServer.policy), .both(EmulatorReceiptServer.policy),
    ] {
      shop.store.clearRequests()
      let again = try await shop.verifier(method).verifyAgain(receipt, for: TeaStore.app)
      #expect(again?.purchases.map(\.transactionID) == [bought.id])
      #expect(!shop.store.requests().isEmpty)
    }
    try shop.store.set(Fault(OutageFault()))
    await #expect(throws: ProofRefusal.storeUnavailable(retryAfterSeconds: 30)) {
      try await shop.verifier(.both(EmulatorReceiptServer.policy)).verifyAgain(receipt, for: TeaStore.app)
    }
  }

  @Test("G6 an empty or too large proof, or one of another format, is not sent to the store")
  func outside() async throws {
    let scripted = try ScriptedVerifier([StoreAnswer.app()])
    var large = Data(repeating: 0x30, count: PurchaseProof.Kind.appReceipt.maximumBytes + 1)
    for proof in [
      .appReceipt(Data()), .legacyReceipt(Data()), .appReceipt(large), .appReceipt(Data("{}".utf8)),
      .legacyReceipt(Data([0x30, 0])), .legacyReceipt(Data(repeating: UInt8(ascii: "{"), count: 65_537)),
    ] as [PurchaseProof] {
      #expect(await scripted.refusal(proof)?.name == "unreadable")
    }
    #expect(scripted.server.requests.isEmpty)
    large.removeLast()
    #expect(await scripted.refusal(.appReceipt(large)) == nil)
    #expect(await scripted.refusal(.legacyReceipt(Data("\n\t {}".utf8)))?.name == "storeUnavailable")
    let offline = try await TeaStore().verifier(.offline)
    let jws = String(repeating: "a", count: PurchaseProof.Kind.signedTransaction.maximumBytes + 1)
    #expect(
      await offline.refusal(.signedTransaction(jws))
        == .unreadable(detail: "it has 262145 bytes; a proof of its kind has at most 262144"))
  }
}
