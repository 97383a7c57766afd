import AppStoreEmulator
import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Which policy verifies what", .timeLimit(.minutes(10)))
struct PolicyTests {
  @Test("production and the sandbox are accepted unless the policy says otherwise")
  func defaultEnvironments() {
    #expect(VerificationPolicy(bundleID: "a", method: .offline).environments == [.production, .sandbox])
    #expect(VerifyReceiptPolicy().productionURL.absoluteString == "https://buy.itunes.apple.com/verifyReceipt")
    #expect(VerifyReceiptPolicy().sandboxURL.absoluteString == "https://sandbox.itunes.apple.com/verifyReceipt")
  }

  @Test("an app without a policy is not known, and asking again about it neither")
  func unknownApp() async throws {
    let shop = try await TeaStore()
    let verifier = try shop.verifier(.offline)
    #expect(await verifier.refusal(Counter.receipt, for: "org.example.unheard") == .unknownApp("org.example.unheard"))
    await #expect(throws: ProofRefusal.unknownApp("org.example.unheard")) {
      try await verifier.verifyAgain(Counter.receipt, for: "org.example.unheard")
    }
  }

  @Test("G6 where the store is asked, nobody escapes its question with a signed transaction")
  func kinds() async throws {
    let counter = try Counter([StoreAnswer.app()])
    #expect(await counter.refusal(.signedTransaction("a.b.c")) == .kindNotAccepted(.signedTransaction))
    #expect(counter.server.requests.isEmpty)
    let shop = try await TeaStore()
    let bought = PurchaseProof.signedTransaction(try await shop.buy(on: try await shop.phone()).signedTransaction)
    #expect(
      try await shop.verifier(.both(EmulatorReceiptServer.policy)).refusal(bought)
        == .kindNotAccepted(.signedTransaction))
    #expect(try await shop.verifier(.offline).refusal(bought) == nil)
  }

  @Test("G6 a policy takes the kinds that it names, and no other")
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

  @Test("a kind that is not taken any more is still asked about again: what it gave is still there")
  func formerKind() async throws {
    let shop = try await TeaStore()
    let bought = try await shop.buy(on: try await shop.phone())
    let verifier = try shop.verifier(.both(EmulatorReceiptServer.policy), proofKinds: [.appReceipt])
    let again = try await verifier.verifyAgain(.legacyReceipt(bought.legacyReceipt), for: TeaStore.app)
    #expect(again?.purchases.map(\.transactionID) == [bought.id])
  }

  @Test("which proofs the store may be asked about", arguments: [PurchaseProof.Kind.appReceipt, .legacyReceipt])
  func asking(kind: PurchaseProof.Kind) async throws {
    let shop = try await TeaStore()
    let asking = try shop.verifier(.both(EmulatorReceiptServer.policy))
    let proof: PurchaseProof = kind == .appReceipt ? .appReceipt(Data([1])) : .legacyReceipt(Data([1]))
    #expect(asking.asksStore(about: proof, for: TeaStore.app))
    #expect(!asking.asksStore(about: .signedTransaction(""), for: TeaStore.app))
    #expect(!asking.asksStore(about: proof, for: "org.example.unheard"))
    #expect(try !shop.verifier(.offline).asksStore(about: proof, for: TeaStore.app))
  }

  @Test("both: a receipt that does not pass here is no question to the store")
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

  @Test("both: a receipt that passes here and that the store disowns: somebody has trouble, and nothing is given")
  func bothStoreSecond() async throws {
    let shop = try await TeaStore()
    let bought = try await shop.buy(on: try await shop.phone())
    let server = ScriptedReceiptServer([.production: [.status(21003)]])
    let verifier = try ProofVerifier(
      anchors: try shop.anchors,
      policies: [VerificationPolicy(bundleID: TeaStore.app, method: .both(EmulatorReceiptServer.policy))],
      server: server, clock: StepTime(dates: shop.clock))
    for proof in [PurchaseProof.appReceipt(bought.appReceipt), .legacyReceipt(bought.legacyReceipt)] {
      #expect(await verifier.refusal(proof) == .storeUnavailable(retryAfterSeconds: 30))
    }
    #expect(server.requests.count == 8)
  }

  @Test("both: what the store says counts; the receipt adds its device and the types of the products")
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

  @Test("asking again goes to the store, and nobody is asked offline or about signed transactions")
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

  @Test("G6 no receipt, too large a one, or what begins like something else, is no question to the store")
  func outside() async throws {
    let counter = try Counter([StoreAnswer.app()])
    var large = Data(repeating: 0x30, count: PurchaseProof.Kind.appReceipt.maximumBytes + 1)
    for proof in [
      .appReceipt(Data()), .legacyReceipt(Data()), .appReceipt(large), .appReceipt(Data("{}".utf8)),
      .legacyReceipt(Data([0x30, 0])), .legacyReceipt(Data(repeating: UInt8(ascii: "{"), count: 65_537)),
    ] as [PurchaseProof] {
      #expect(await counter.refusal(proof)?.name == "unreadable")
    }
    #expect(counter.server.requests.isEmpty)
    large.removeLast()
    #expect(await counter.refusal(.appReceipt(large)) == nil)
    #expect(await counter.refusal(.legacyReceipt(Data("\n\t {}".utf8)))?.name == "storeUnavailable")
    let offline = try await TeaStore().verifier(.offline)
    let jws = String(repeating: "a", count: PurchaseProof.Kind.signedTransaction.maximumBytes + 1)
    #expect(
      await offline.refusal(.signedTransaction(jws))
        == .unreadable(detail: "it has 262145 bytes; a proof of its kind has at most 262144"))
  }
}
