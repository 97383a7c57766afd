import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Unusable policies", .timeLimit(.minutes(30)))
struct UnusablePolicyTests {
  private func problem(
    anchors: TrustAnchors = TrustAnchors(), environments: Set<StoreEnvironment> = [.production],
    proofKinds: Set<PurchaseProof.Kind>? = nil, isOffline: Bool = false,
    _ change: (inout VerifyReceiptPolicy) -> Void = { _ in }
  ) -> String? {
    var policy = EmulatorReceiptServer.policy
    change(&policy)
    do throws(UnusableVerificationPolicy) {
      _ = try ProofVerifier(
        anchors: anchors,
        policies: [
          VerificationPolicy(
            bundleID: "org.example.tea", environments: environments, method: isOffline ? .offline : .both(policy),
            proofKinds: proofKinds)
        ], server: ScriptedReceiptServer([:]))
      return nil
    } catch {
      #expect(error.app == "org.example.tea")
      #expect(error.description.contains(error.problem))
      return error.problem
    }
  }

  @Test("a usable policy is accepted")
  func usable() {
    #expect(problem() == nil)
    #expect(problem(anchors: .apple) { $0 = VerifyReceiptPolicy() } == nil)
    #expect(problem(environments: [.xcode], isOffline: true) == nil)
  }

  @Test("with Apple's certificates trusted, only Apple's URLs are accepted")
  func appleOnly() throws {
    #expect(problem(anchors: .apple)?.contains("buy.itunes.apple.com") == true)
    #expect(problem(anchors: .apple, isOffline: true) == nil)
    let sandbox = try #require(
      problem(anchors: .apple) { $0.productionURL = VerifyReceiptPolicy.appleProductionURL })
    #expect(sandbox.contains("sandbox.itunes.apple.com"))
    let mixed = TrustAnchors(fingerprints: [TrustAnchors.appleRootCAG3]) + TrustAnchors(certificates: [[1, 2, 3]])
    #expect(problem(anchors: mixed) != nil)
  }

  @Test("invalid environments are refused")
  func environments() {
    #expect(problem(environments: []) != nil)
    #expect(problem(environments: [], isOffline: true) != nil)
    #expect(problem(environments: [.xcode]) != nil)
  }

  @Test("invalid kinds of proof are refused: none, or one that verifyReceipt cannot verify under verifyReceipt alone")
  func proofKinds() throws {
    #expect(problem(proofKinds: []) != nil)
    #expect(problem(proofKinds: [], isOffline: true) != nil)
    #expect(problem(proofKinds: [.signedTransaction]) == nil)
    let policy = VerificationPolicy(
      bundleID: "org.example.tea", method: .verifyReceipt(EmulatorReceiptServer.policy),
      proofKinds: [.appReceipt, .signedTransaction])
    let problem = try #require(policy.problem(with: TrustAnchors()))
    #expect(problem.contains("signedTransaction"))
  }

  @Test(
    "invalid URLs are refused, and two equal ones",
    arguments: [
      "ftp://store.test/", "verifyReceipt", "http:///verifyReceipt", ScriptedReceiptServer.sandbox.absoluteString,
    ])
  func urls(text: String) throws {
    let url = try #require(URL(string: text))
    #expect(problem { $0.productionURL = url } != nil)
  }

  static let changes: [@Sendable (inout VerifyReceiptPolicy) -> Void] = [
    { $0.retries = -1 }, { $0.retries = 11 }, { $0.firstPauseMilliseconds = 0 },
    { $0.firstPauseMilliseconds = 60_001 }, { $0.longestPauseMilliseconds = 249 },
    { $0.longestPauseMilliseconds = 60_001 }, { $0.answerTimeoutSeconds = 0 }, { $0.answerTimeoutSeconds = 26 },
    { $0.totalTimeoutSeconds = 9 }, { $0.totalTimeoutSeconds = 121 }, { $0.retryAfterSeconds = 0 },
    { $0.retryAfterSeconds = 3_601 }, { $0.breaker.failures = 0 }, { $0.breaker.failures = 1_001 },
    { $0.breaker.openSeconds = 0 }, { $0.breaker.openSeconds = 3_601 },
  ]

  @Test("numbers out of range", arguments: changes.indices)
  func numbers(place: Int) { #expect(problem(Self.changes[place]) != nil) }

  @Test("a shared secret is never printed")
  func secret() throws {
    let secret = try #require(SharedSecret("0123456789abcdefc0ffee"))
    let policy = VerificationPolicy(
      bundleID: "org.example.tea", method: .both(VerifyReceiptPolicy(sharedSecret: secret)))
    var dumped = ""
    dump(policy, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), "\(policy)", String(reflecting: policy), dumped] {
      #expect(!text.contains("c0ffee"))
    }
    #expect(secret == SharedSecret("0123456789abcdefc0ffee"))
    for text in ["", "a b", "a\"b", "ä", "٣", String(repeating: "a", count: 201)] { #expect(SharedSecret(text) == nil) }
  }
}
