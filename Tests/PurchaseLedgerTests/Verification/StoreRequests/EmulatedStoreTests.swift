import AppStoreEmulator
import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Verification with the emulated store", .timeLimit(.minutes(30)))
struct EmulatedStoreTests {
  struct Status: Sendable, CustomTestStringConvertible {
    let number: Int
    let isRetryable: Bool?
    let ending: String
    let asked: Int
    var testDescription: String { "\(number) \(isRetryable.map { "retryable \($0)" } ?? "") → \(ending)" }
  }

  /// The statuses that the emulator's endpoint can be made to return for a valid sandbox receipt.
  static let statuses = [
    Status(number: 21000, isRetryable: nil, ending: "misconfigured", asked: 1),
    Status(number: 21001, isRetryable: nil, ending: "storeUnavailable", asked: 1),
    Status(number: 21002, isRetryable: nil, ending: "unreadable", asked: 4),
    Status(number: 21003, isRetryable: nil, ending: "forged", asked: 1),
    Status(number: 21004, isRetryable: nil, ending: "misconfigured", asked: 1),
    Status(number: 21005, isRetryable: nil, ending: "storeUnavailable", asked: 4),
    Status(number: 21006, isRetryable: nil, ending: "storeUnavailable", asked: 1),
    Status(number: 21007, isRetryable: nil, ending: "verified", asked: 2),
    Status(number: 21008, isRetryable: nil, ending: "misconfigured", asked: 1),
    Status(number: 21009, isRetryable: nil, ending: "storeUnavailable", asked: 4),
    Status(number: 21010, isRetryable: nil, ending: "accountNotFound", asked: 1),
    Status(number: 21100, isRetryable: true, ending: "storeUnavailable", asked: 4),
    Status(number: 21100, isRetryable: false, ending: "storeUnavailable", asked: 1),
    Status(number: 21199, isRetryable: nil, ending: "storeUnavailable", asked: 1),
  ]

  @Test("G1 every status that the store can return, at its real endpoint", arguments: statuses)
  func status(_ status: Status) async throws {
    let shop = try await TeaStore()
    let proof = PurchaseProof.appReceipt(try await shop.buy(on: try await shop.phone()).appReceipt)
    let kind = ReceiptStatusFault(
      try #require(VerifyReceiptStatus(rawValue: status.number)), isRetryable: status.isRetryable)
    try shop.store.set(Fault(kind, scope: FaultScope(environment: .production)))
    shop.store.clearRequests()
    let refusal = await (try shop.verifier(.verifyReceipt(EmulatorReceiptServer.policy))).refusal(proof)
    #expect(refusal?.name ?? "verified" == status.ending)
    #expect(shop.store.requests().count == status.asked)
  }

  @Test(
    "G1 another app's receipt, for which this app's shared secret is wrong, is refused as wrongApp, not as misconfigured",
    arguments: [false, true])
  func otherApp(isLegacy: Bool) async throws {
    let shop = try await TeaStore()
    let bought = try await shop.buy(on: try await shop.phone())
    let proof = isLegacy ? PurchaseProof.legacyReceipt(bought.legacyReceipt) : .appReceipt(bought.appReceipt)
    try shop.store.set(Fault(ReceiptStatusFault(.wrongSharedSecret)))
    let verifier = try shop.verifier(.verifyReceipt(EmulatorReceiptServer.policy), app: "com.example.other")
    #expect(await verifier.refusal(proof, for: "com.example.other")?.name == "wrongApp")
    let own = try shop.verifier(.verifyReceipt(EmulatorReceiptServer.policy))
    #expect(await own.refusal(proof)?.name == "misconfigured")
  }

  @Test("G2 production first, the sandbox on 21007", arguments: [StoreEnvironment.production, .sandbox])
  func endpoints(environment: StoreEnvironment) async throws {
    let shop = try await TeaStore()
    let phone = try await shop.phone(in: environment)
    let bought = try await shop.buy(TeaStore.teapot, on: phone)
    for proof in [PurchaseProof.appReceipt(bought.appReceipt), .legacyReceipt(bought.legacyReceipt)] {
      shop.store.clearRequests()
      let verified = try await shop.verifier(.verifyReceipt(EmulatorReceiptServer.policy))
        .verify(proof, for: TeaStore.app)
      #expect(verified.environment == environment)
      #expect(verified.purchases.map(\.transactionID) == [bought.id])
      #expect(verified.purchases.map(\.productID) == [TeaStore.teapot])
      #expect(
        shop.store.requests().map(\.metadata.environment)
          == (environment == .production ? [.production] : [.production, .sandbox]))
      #expect(verified.isIssued(phone.device))
      #expect(!verified.isIssued(.vendorIdentifier(UUID())))
    }
  }

  @Test("a store that fails temporarily is asked until it answers")
  func temporaryFailure() async throws {
    let shop = try await TeaStore()
    let proof = PurchaseProof.appReceipt(
      try await shop.buy(on: try await shop.phone(in: .production)).appReceipt)
    for kind: any FaultKind in [
      OutageFault(), OutageFault(.unreachable), ReceiptServerErrorFault(httpStatus: 500), AnswerLostFault(),
      ConnectionResetFault(), ReceiptStatusFault(.temporarilyUnavailable), ReceiptStatusFault(.malformedReceipt),
      ReceiptStatusFault(try #require(VerifyReceiptStatus(rawValue: 21123)), isRetryable: true),
    ] {
      try shop.store.set(Fault(kind, scope: FaultScope(calls: [.verifyReceipt]), count: 2))
      shop.store.clearRequests()
      let verifier = try shop.verifier(.both(EmulatorReceiptServer.policy))
      #expect(try await verifier.verify(proof, for: TeaStore.app).purchases.count == 1)
      #expect(shop.store.requests().count == 3)
    }
  }

  @Test("an unreachable store is reported as such, and nothing is accepted meanwhile")
  func outage() async throws {
    let shop = try await TeaStore()
    let proof = PurchaseProof.appReceipt(try await shop.buy(on: try await shop.phone()).appReceipt)
    try shop.store.set(Fault(OutageFault()))
    for method in [
      VerificationPolicy.Method.verifyReceipt(EmulatorReceiptServer.policy), .both(EmulatorReceiptServer.policy),
    ] {
      #expect(await (try shop.verifier(method)).refusal(proof) == .storeUnavailable(retryAfterSeconds: 30))
    }
    #expect(await (try shop.verifier(.offline)).refusal(proof) == nil)
  }

  @Test("G6 a refund is seen at the next verification, and has the store's date", arguments: [false, true])
  func refund(isLegacy: Bool) async throws {
    let shop = try await TeaStore()
    let bought = try await shop.buy(TeaStore.teapot, on: try await shop.phone())
    let proof = isLegacy ? PurchaseProof.legacyReceipt(bought.legacyReceipt) : .appReceipt(bought.appReceipt)
    let verifier = try shop.verifier(.both(EmulatorReceiptServer.policy))
    let before = try await verifier.verify(proof, for: TeaStore.app)
    #expect(before.purchases.map(\.revocation) == [nil])
    shop.clock.advance(seconds: 3_600)
    let refunded = try await shop.store.refund(bought.id, reason: .issueWithApp)
    shop.clock.advance(seconds: 60)
    let after = try #require(try await verifier.verifyAgain(proof, for: TeaStore.app))
    let revocation = try #require(after.purchases.first?.revocation)
    #expect(revocation.date == refunded.record.revocationDate)
    #expect(revocation.reason == 1)
    #expect(revocation.percentage == nil)
    #expect(after.statedDate > before.statedDate)
    // Offline, the same proof is still accepted, because it was signed before the refund.
    let offline = try await shop.verifier(.offline).verify(proof, for: TeaStore.app)
    #expect(offline.purchases.map(\.revocation) == [nil])
  }

  @Test("G6 while the store's clock stands, an answer after a refund still has a later date than one before it")
  func refundWhileTheClockStands() async throws {
    let shop = try await TeaStore()
    let bought = try await shop.buy(TeaStore.teapot, on: try await shop.phone())
    let verifier = try shop.verifier(.both(EmulatorReceiptServer.policy))
    let before = try await verifier.verify(.appReceipt(bought.appReceipt), for: TeaStore.app)
    try await shop.store.refund(bought.id)
    let after = try #require(try await verifier.verifyAgain(.appReceipt(bought.appReceipt), for: TeaStore.app))
    #expect(after.purchases.first?.revocation != nil)
    #expect(after.statedDate > before.statedDate)
  }

  @Test("dates are the store's, also if its clock differs by years from this machine's", arguments: [2015, 2026, 2055])
  func clocks(year: Int) async throws {
    let opening = StoreDate(millisecondsSince1970: Int64(year - 1970) * 31_557_600_000 + 86_400_000)
    let shop = try await TeaStore(opening: opening)
    let bought = try await shop.buy(TeaStore.teapot, on: try await shop.phone())
    let verifier = try shop.verifier(.both(EmulatorReceiptServer.policy))
    let modern = try await verifier.verify(.appReceipt(bought.appReceipt), for: TeaStore.app)
    #expect(modern.statedDate >= opening && modern.statedDate < opening.adding(seconds: 60))
    let legacy = try await verifier.verify(.legacyReceipt(bought.legacyReceipt), for: TeaStore.app)
    #expect(legacy.statedDate == legacy.purchases[0].purchaseDate)
    #expect(legacy.statedDate >= opening.wholeSeconds && legacy.statedDate < opening.adding(seconds: 60))
  }

  @Test("the device in an app receipt, and its products' types, are used only if its signature is verified here")
  func unsignedHere() async throws {
    let shop = try await TeaStore()
    let phone = try await shop.phone()
    let bought = try await shop.buy(TeaStore.teapot, on: phone)
    for (anchors, isTrusted) in [(try shop.anchors, true), (TrustAnchors(), false)] {
      let verified = try await shop.verifier(.verifyReceipt(EmulatorReceiptServer.policy), anchors: anchors)
        .verify(.appReceipt(bought.appReceipt), for: TeaStore.app)
      #expect(verified.purchases.map(\.transactionID) == [bought.id])
      #expect(verified.purchases.map(\.type) == [isTrusted ? .nonConsumable : nil])
      #expect(verified.isIssued(phone.device) == isTrusted)
    }
  }

  @Test("G6 the store refuses a receipt of another store, an altered one, and one of another app")
  func foreign() async throws {
    let shop = try await TeaStore()
    let keys = FileManager.default.temporaryDirectory.appending(path: "tea-store-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: keys) }
    let other = try await TeaStore(keyDirectory: keys)
    let verifier = try shop.verifier(.verifyReceipt(EmulatorReceiptServer.policy))
    let foreign = try await other.buy(on: try await other.phone())
    #expect(await verifier.refusal(.appReceipt(foreign.appReceipt))?.name == "forged")
    #expect(await verifier.refusal(.legacyReceipt(foreign.legacyReceipt))?.name == "forged")
    let own = try await shop.buy(on: try await shop.phone())
    #expect(await verifier.refusal(.appReceipt(own.appReceipt.withLastByteFlipped))?.name == "forged")
    let coffee = try await shop.buy(
      as: "payment 2", on: try await shop.phone("coffee phone", app: TeaStore.otherApp))
    #expect(await verifier.refusal(.appReceipt(coffee.appReceipt))?.name == "wrongApp")
    #expect(await verifier.refusal(.legacyReceipt(coffee.legacyReceipt))?.name == "wrongApp")
  }

  @Test("G6 a subscription's receipt needs the shared secret; a wrong secret is a configuration error")
  func sharedSecret() async throws {
    let shop = try await TeaStore()
    let bought = try await shop.buy(TeaStore.monthly, on: try await shop.phone())
    let secret = try await shop.store.app(TeaStore.app).sharedSecret
    var policy = EmulatorReceiptServer.policy
    for (text, ending) in [(nil, "misconfigured"), ("00000000", "misconfigured"), (secret, "verified")] {
      policy.sharedSecret = text.flatMap(SharedSecret.init)
      for proof in [PurchaseProof.appReceipt(bought.appReceipt), .legacyReceipt(bought.legacyReceipt)] {
        let refusal = await (try shop.verifier(.verifyReceipt(policy))).refusal(proof)
        #expect(refusal?.name ?? "verified" == ending)
      }
    }
    let verified = try await shop.verifier(.verifyReceipt(policy)).verify(
      .legacyReceipt(bought.legacyReceipt), for: TeaStore.app)
    let modern = try await shop.verifier(.verifyReceipt(policy)).verify(
      .appReceipt(bought.appReceipt), for: TeaStore.app)
    #expect(verified.purchases[0].expiresDate != nil)
    #expect(verified.purchases[0].expiresDate == modern.purchases[0].expiresDate)
    #expect(modern.purchases[0].type == .autoRenewableSubscription)
  }

  @Test(
    "A1 in a grace period the store's answer states its end, and after it billing retry", arguments: [false, true])
  func gracePeriod(isBoth: Bool) async throws {
    let shop = try await TeaStore()
    try await shop.store.setRenewalRules(RenewalRules(gracePeriod: .standard), of: TeaStore.app)
    let bought = try await shop.buy(TeaStore.monthly, on: try await shop.phone())
    try await shop.store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .declined }
    var asking = EmulatorReceiptServer.policy
    asking.sharedSecret = SharedSecret(try await shop.store.app(TeaStore.app).sharedSecret)
    let policy = asking

    func renewal(after days: Int64) async throws -> ProvenRenewal? {
      shop.clock.advance(seconds: days * 86_400)
      // A verifier of its own, because answers are cached.
      return try await shop.verifier(isBoth ? .both(policy) : .verifyReceipt(policy))
        .verify(.appReceipt(bought.appReceipt), for: TeaStore.app).renewals[bought.id]
    }

    let paid = try #require(try await renewal(after: 1))
    #expect(paid.isAutoRenewOn && !paid.isInBillingRetry && paid.gracePeriodEnd == nil)
    let grace = try #require(try await renewal(after: 32))
    #expect(grace.isAutoRenewOn && grace.isInBillingRetry && grace.lastPeriod == bought.id)
    #expect(grace.gracePeriodEnd == StoreDate(typed: "2026-08-17T12:00:00Z"))
    let retry = try #require(try await renewal(after: 16))
    #expect(retry.isInBillingRetry && retry.gracePeriodEnd == nil && retry.expirationIntent == 2)
  }
}
