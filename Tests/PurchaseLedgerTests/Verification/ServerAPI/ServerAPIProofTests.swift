import AppStoreServerAPI
import Foundation
import HTTPTransport
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseLedger

@Suite("The calls for each proof, and what becomes of the answers", .timeLimit(.minutes(30)))
struct ServerAPIProofTests {
  private static let anna = CustomerID(rawValue: UUID())

  @Test("a subscription has its last period, its renewal and its grace period from signed data, each with its own date")
  func statuses() async throws {
    let scripted = try await ScriptedServerAPI { shop, path, _ in
      func period(_ id: UInt64, after seconds: Int64) throws -> String {
        try ScriptedServerAPI.signed(id, TeaStore.monthly, .autoRenewableSubscription, by: shop) {
          $0.originalTransactionID = TransactionID(7)
          $0.purchaseDate = shop.clock.now.adding(seconds: seconds)
          $0.expiresDate = shop.clock.now.adding(seconds: seconds + 100)
          $0.signedDate = shop.clock.now.adding(milliseconds: seconds)
        }
      }
      guard path.hasPrefix("v1/subscriptions") else { return try .info(period(7, after: 0)) }
      var info = SignedRenewalInfo(
        originalTransactionID: TransactionID(7), productID: TeaStore.monthly,
        signedDate: shop.clock.now.adding(milliseconds: 500))
      info.rawEnvironment = "Sandbox"
      info.autoRenewProductID = "org.example.teahouse.club.yearly"
      info.rawAutoRenewStatus = 1
      info.isInBillingRetryPeriod = true
      info.gracePeriodExpiresDate = shop.clock.now.adding(seconds: 999)
      info.rawExpirationIntent = 2
      let renewal = try shop.store.authority.signJWS(payload: info.payloadBytes(), at: info.signedDate)
      let last = LastTransaction(
        status: OpenEnum(.billingGracePeriod), originalTransactionId: TransactionID(7),
        signedTransactionInfo: try period(9, after: 100), signedRenewalInfo: renewal)
      // The customer's other subscriptions are not the proof's.
      let other = LastTransaction(
        status: OpenEnum(.active), originalTransactionId: TransactionID(70),
        signedTransactionInfo: try ScriptedServerAPI.signed(
          70, TeaStore.monthly, .autoRenewableSubscription, by: shop), signedRenewalInfo: renewal)
      return try .json(
        StatusResponse(
          environment: OpenEnum(.sandbox), bundleId: TeaStore.app,
          data: [SubscriptionGroupStatus(subscriptionGroupIdentifier: "club", lastTransactions: [last, other])]))
    }
    let signed = try ScriptedServerAPI.signed(7, TeaStore.monthly, .autoRenewableSubscription, by: scripted.shop)
    let proof = try await scripted.verifier.verify(.signedTransaction(signed), for: TeaStore.app)
    #expect(scripted.sender.paths == ["v1/transactions/7", "v1/subscriptions/7"])
    #expect(proof.purchases.map(\.transactionID) == [TransactionID(7), TransactionID(9)])
    let now = scripted.shop.clock.now
    #expect(proof.purchases.map(\.statedDate) == [now, now.adding(milliseconds: 100)])
    let renewal = try #require(proof.renewals[TransactionID(7)])
    #expect((renewal.lastPeriod, renewal.productID) == (TransactionID(9), "org.example.teahouse.club.yearly"))
    #expect(renewal.isAutoRenewOn && renewal.isInBillingRetry && renewal.expirationIntent == 2)
    #expect(renewal.gracePeriodEnd == now.adding(seconds: 999))
    #expect(renewal.statedDate == now.adding(milliseconds: 500))
    #expect(proof.stored == .transactionID(try #require(TransactionID(rawValue: ScriptedServerAPI.account))))
  }

  @Test("an app receipt: all pages of refunds, and a call for each refund in the receipt that the history lacks")
  func receipts() async throws {
    let scripted = try await ScriptedServerAPI { shop, path, components in
      let ids = path.split(separator: "/").last.flatMap { UInt64($0) } ?? 0
      guard path.hasPrefix("v2/refund") else { return try .info(ScriptedServerAPI.signed(ids, by: shop)) }
      let isSecond = components.queryItems?.first?.value == "two"
      let refund = try ScriptedServerAPI.signed(isSecond ? 21 : 20, by: shop) {
        $0.revocationDate = shop.clock.now
        $0.revocationPercentage = 50_000
      }
      return try .json(
        RefundHistoryResponse(signedTransactions: [refund], revision: "two", hasMore: !isSecond))
    }
    let (shop, phone) = (scripted.shop, try await scripted.shop.phone())
    let first = try await shop.buy(on: phone)
    let reversed = try await shop.buy(as: "payment 2", on: phone)
    try await shop.store.refund(reversed.id)
    let receipt = try await shop.freshReceipt(for: phone)
    let offline = try await shop.verifier(.offline).verify(.appReceipt(receipt), for: TeaStore.app)
    let isListed = offline.purchases.contains { $0.revocation != nil }

    let proof = try await scripted.verifier.verify(.appReceipt(receipt), for: TeaStore.app)
    let history = "v2/refund/lookup/\(first.id)"
    #expect(
      scripted.sender.paths
        == [history, "\(history)?revision=two"] + (isListed ? ["v1/transactions/\(reversed.id)"] : []))
    let refunded = proof.purchases.filter { $0.revocation != nil }
    #expect(refunded.map(\.transactionID) == [TransactionID(20), TransactionID(21)])
    #expect(refunded.map(\.revocation?.percentage) == [50_000, 50_000])
    let own = try #require(proof.purchases.first { $0.transactionID == first.id })
    #expect(own.statedDate == offline.statedDate)
  }

  @Test("G6 requested purchases that a receipt lacks: only those of its customer, and a limited number of calls")
  func missing() async throws {
    let scripted = try await ScriptedServerAPI({ $0.reuseSeconds = 5 }) { shop, path, _ in
      if path.hasPrefix("v2/refund") {
        return try .json(RefundHistoryResponse(signedTransactions: [], revision: "one", hasMore: false))
      }
      let id = path.split(separator: "/").last.flatMap { UInt64($0) } ?? 0
      if id == 50 { return try .error(.transactionIdNotFound) }
      return try .info(
        ScriptedServerAPI.signed(id, by: shop) { if id == 51 { $0.appTransactionID = "704000000000000002" } })
    }
    let phone = try await scripted.shop.phone()
    let bought = try await scripted.shop.buy(on: phone)
    let receipt = PurchaseProof.appReceipt(bought.appReceipt)
    let requested = Set((50...90).map { TransactionID(UInt64($0)) } + [bought.id])
    let proof = try await scripted.verifier.verify(receipt, for: TeaStore.app, requested: requested)
    #expect(proof.purchases.map(\.transactionID) == [bought.id] + (52...69).map { TransactionID(UInt64($0)) })
    // The refund history, the consumable of the receipt, the receipt's customer, and the missing purchases.
    let calls = scripted.sender.paths.count
    #expect(calls == 1 + 1 + 1 + ServerAPIVerification.mostSingleCalls)

    // A repeated request is about the next ones, so it is not answered from the cache. The refund history is.
    #expect(await scripted.verifier.requiresStoreRequest(about: receipt, for: TeaStore.app, requested: requested))
    let next = try await scripted.verifier.verify(receipt, for: TeaStore.app, requested: requested)
    #expect(next.purchases.map(\.transactionID) == [bought.id] + (70...89).map { TransactionID(UInt64($0)) })
    #expect(scripted.sender.paths.count == calls + 1 + 1 + ServerAPIVerification.mostSingleCalls)
    let last = try await scripted.verifier.verify(receipt, for: TeaStore.app, requested: requested)
    #expect(last.purchases.map(\.transactionID).prefix(2) == [bought.id, TransactionID(90)])

    let few = Set((51...60).map { TransactionID(UInt64($0)) } + [bought.id])
    let first = try await scripted.verifier.verify(receipt, for: TeaStore.app, requested: few)
    let callsForAll = scripted.sender.paths.count
    #expect(await !scripted.verifier.requiresStoreRequest(about: receipt, for: TeaStore.app, requested: few))
    let second = try await scripted.verifier.verify(receipt, for: TeaStore.app, requested: few)
    #expect(second.purchases.map(\.transactionID) == first.purchases.map(\.transactionID))
    #expect(scripted.sender.paths.count == callsForAll)
    #expect(
      await !scripted.verifier.requiresStoreRequest(about: receipt, for: TeaStore.app, requested: [bought.id]) { _, _ in
        []
      })
    #expect(
      await scripted.verifier.requiresStoreRequest(about: receipt, for: TeaStore.app, requested: [TransactionID(1)]))
  }

  @Test(
    "G6 consumables in a receipt that no customer has claimed: their account tokens are read, with a limited number of calls"
  )
  func accountTokens() async throws {
    let scripted = try await ScriptedServerAPI { shop, path, _ in
      if path.hasPrefix("v2/refund") {
        return try .json(RefundHistoryResponse(signedTransactions: [], revision: "one", hasMore: false))
      }
      let id = path.split(separator: "/").last.flatMap { UInt64($0) } ?? 0
      return try .info(ScriptedServerAPI.signed(id, by: shop) { $0.appAccountToken = Self.anna.rawValue })
    }
    let phone = try await scripted.shop.phone()
    var ids: [TransactionID] = []
    for number in 0...ServerAPIVerification.mostSingleCalls + 1 {
      ids.append(try await scripted.shop.buy(as: PaymentID("payment \(number)"), on: phone).id)
    }
    let consumables = ids
    let teapot = try await scripted.shop.buy(TeaStore.teapot, as: "teapot", on: phone)
    let receipt = PurchaseProof.appReceipt(try await scripted.shop.freshReceipt(for: phone))
    let requested = Set(ids + [teapot.id])

    // The ledger knows which of them are consumables and not claimed.
    let few = try await scripted.verifier.verify(
      receipt, for: TeaStore.app, requested: requested,
      unclaimed: { requested, _ in requested.intersection(consumables.prefix(2)) })
    #expect(
      few.purchases.filter { $0.appAccountToken == Self.anna.rawValue }.map(\.transactionID).sorted()
        == Array(ids.prefix(2)))
    #expect(few.purchases.count == ids.count + 1)
    #expect(
      scripted.sender.paths.filter { $0.hasPrefix("v1/transactions") } == ids.prefix(2).map { "v1/transactions/\($0)" })

    // Further ones are left out.
    let many = try await scripted.verifier.verify(
      receipt, for: TeaStore.app, requested: requested,
      unclaimed: { requested, _ in requested.intersection(consumables) })
    #expect(
      Set(many.purchases.map(\.transactionID)) == Set(ids.prefix(ServerAPIVerification.mostSingleCalls) + [teapot.id]))
    #expect(many.purchases.filter { $0.appAccountToken == nil }.map(\.transactionID) == [teapot.id])
    // A repeated request is about these first, also if no customer claims the others.
    let before = scripted.sender.paths.count
    let repeated = try await scripted.verifier.verify(
      receipt, for: TeaStore.app, requested: requested,
      unclaimed: { requested, _ in requested.intersection(consumables) })
    var expected = Set(ids.prefix(ServerAPIVerification.mostSingleCalls - 2))
    expected.formUnion(ids.suffix(2))
    expected.insert(teapot.id)
    #expect(Set(repeated.purchases.map(\.transactionID)) == expected)
    #expect(repeated.purchases.filter { $0.appAccountToken == nil }.map(\.transactionID) == [teapot.id])
    #expect(scripted.sender.paths.count == before + 1 + ServerAPIVerification.mostSingleCalls)
    // Nothing is asked about purchases that are not requested, as for a restore.
    let calls = scripted.sender.paths.count
    let restored = try await scripted.verifier.verify(receipt, for: TeaStore.app)
    #expect(restored.purchases.count == ids.count + 1 && scripted.sender.paths.count == calls + 1)
  }

  @Test("successive turns ask about every purchase, whichever turn is the first, and never about more than the limit")
  func turns() {
    let most = ServerAPIVerification.mostSingleCalls
    for count in [0, 1, most, most + 1, 2 * most - 1, 2 * most, 2 * most + 1, 7 * most + 3] {
      let ids = (0..<count).map { TransactionID(UInt64($0 + 1)) }
      for first in [0, 1, 2, 5, 1_000_003] {
        var asked: Set<TransactionID> = []
        for turn in first..<(first + max((count + most - 1) / most, 1)) {
          let now = ids.asked(inTurn: turn)
          #expect(now.count == min(count, most) && Set(now).count == now.count)
          asked.formUnion(now)
        }
        #expect(asked == Set(ids), "\(count) from turn \(first)")
      }
    }
  }

  @Test("a purchase about which the store fails does not keep the others from being asked about")
  func failingConsumable() async throws {
    let failing = LockedValue(TransactionID(1))
    let scripted = try await ScriptedServerAPI { shop, path, _ in
      if path.hasPrefix("v2/refund") {
        return try .json(RefundHistoryResponse(signedTransactions: [], revision: "one", hasMore: false))
      }
      let id = path.split(separator: "/").last.flatMap { UInt64($0) } ?? 0
      guard TransactionID(id) != failing.value else { return .text("", status: 500) }
      return try .info(ScriptedServerAPI.signed(id, by: shop))
    }
    let (phone, count) = (try await scripted.shop.phone(), 2 * ServerAPIVerification.mostSingleCalls)
    var ids: [TransactionID] = []
    for number in 1...count {
      ids.append(try await scripted.shop.buy(as: PaymentID("payment \(number)"), on: phone).id)
    }
    let lowest = try #require(ids.min())
    failing.withLock { $0 = lowest }
    let receipt = PurchaseProof.appReceipt(try await scripted.shop.freshReceipt(for: phone))
    #expect(await scripted.refusal(of: receipt, requested: Set(ids)) == .storeUnavailable(retryAfterSeconds: 30))
    let proof = try await scripted.verifier.verify(receipt, for: TeaStore.app, requested: Set(ids))
    #expect(Set(proof.purchases.map(\.transactionID)) == Set(ids.sorted().suffix(count / 2)))
  }

  @Test("a consumable in a receipt that the store does not know: new, it is asked for later; old, it is left out")
  func unknownConsumable() async throws {
    let scripted = try await ScriptedServerAPI { _, path, _ in
      guard path.hasPrefix("v2/refund") else { return try .error(.transactionIdNotFound) }
      return try .json(RefundHistoryResponse(signedTransactions: [], revision: "one", hasMore: false))
    }
    let phone = try await scripted.shop.phone()
    let bought = try await scripted.shop.buy(on: phone)
    let receipt = PurchaseProof.appReceipt(bought.appReceipt)
    #expect(await scripted.refusal(of: receipt, requested: [bought.id]) == .purchaseNotKnownYet(retryAfterSeconds: 30))
    scripted.shop.clock.advance(seconds: 3_602)
    // The date of the receipt does not matter.
    let fresh = PurchaseProof.appReceipt(try await scripted.shop.freshReceipt(for: phone))
    for proof in [receipt, fresh] {
      let verified = try await scripted.verifier.verify(proof, for: TeaStore.app, requested: [bought.id])
      #expect(verified.purchases == [])
    }
  }

  @Test("the store's clock, not this server's, decides whether a purchase is new")
  func storeClock() async throws {
    let scripted = try await ScriptedServerAPI { _, _, _ in try .error(.transactionIdNotFound) }
    let signed = PurchaseProof.signedTransaction(try ScriptedServerAPI.signed(by: scripted.shop))
    let ahead = ManualClock(scripted.shop.clock.now.adding(seconds: 3_601))
    let later = try ProofVerifier(
      anchors: scripted.shop.anchors, policies: [scripted.policy], server: ScriptedReceiptServer([:]),
      transport: scripted.sender, clock: scripted.time, storeClock: ahead, chance: { $0.lowerBound })
    #expect(await later.refusal(signed) == .accountNotFound)
    #expect(await scripted.refusal(of: signed)?.name == "purchaseNotKnownYet")
  }

  @Test("a forged proof is refused without a call, and further proofs than the limit are refused")
  func limit() async throws {
    let scripted = try await ScriptedServerAPI(requestLimit: 1) { shop, path, _ in
      try .info(ScriptedServerAPI.signed(path.hasSuffix("/7") ? 7 : 8, by: shop))
    }
    #expect(await scripted.refusal(of: .signedTransaction("a.b.c"))?.name == "unreadable")
    #expect(scripted.sender.paths.isEmpty)
    let gate = Gate()
    scripted.sender.wait(for: gate)
    let first = PurchaseProof.signedTransaction(try ScriptedServerAPI.signed(7, by: scripted.shop))
    async let verified = scripted.verifier.verify(first, for: TeaStore.app)
    await gate.untilCallerWaits()
    let second = PurchaseProof.signedTransaction(try ScriptedServerAPI.signed(8, by: scripted.shop))
    #expect(await scripted.refusal(of: second) == .storeUnavailable(retryAfterSeconds: 30))
    await gate.open()
    #expect(try await verified.purchases.count == 1)
  }

  @Test(
    "invalid policies are refused: another store's URL with Apple's certificates, Xcode, and what cannot be checked")
  func policies() async throws {
    let scripted = try await ScriptedServerAPI { _, _, _ in .text("", status: 500) }
    let policy = try #require(scripted.verifier.serverAPIClient(of: TeaStore.app)).configuration
    var asking = ServerAPIPolicy(key: policy.key)
    func problem(
      _ anchors: TrustAnchors, environments: Set<StoreEnvironment> = [.production, .sandbox],
      kinds: Set<PurchaseProof.Kind>? = nil, status: CertificateStatusCheck.Mode? = nil,
      method: VerificationPolicy.Method? = nil
    ) -> String? {
      VerificationPolicy(
        bundleID: TeaStore.app, environments: environments, method: method ?? .serverAPI(asking), proofKinds: kinds,
        certificateStatus: status
      ).problem(with: anchors)
    }
    #expect(problem(.apple) == nil)
    #expect(problem(.apple, status: .hard) == nil)
    #expect(problem(.apple, environments: [.production, .xcode]) != nil)
    #expect(problem(.apple, kinds: [.transactionID]) != nil)
    #expect(problem(.apple, kinds: [.legacyReceipt], status: .hard) != nil)
    #expect(problem(.apple, status: .soft, method: .verifyReceipt(VerifyReceiptPolicy())) != nil)
    asking.totalTimeoutSeconds = 9
    #expect(problem(.apple) != nil)
    asking = ServerAPIPolicy(
      key: policy.key, productionURL: ScriptedServerAPI.production, sandboxURL: ScriptedServerAPI.sandbox)
    #expect(problem(.apple)?.contains("api.storekit.apple.com") == true)
    #expect(problem(TrustAnchors()) == nil)
    var dumped = ""
    dump(asking, to: &dumped)
    #expect(!dumped.contains("PrivateKey"))
  }
}
