import Foundation
import SignedData
import StoreModel

@testable import PurchaseLedger

/// A verifier with a scripted store, and the means to observe both.
struct ScriptedVerifier {
  /// Data that begins like a receipt. The scripted store accepts it.
  static let receipt = PurchaseProof.appReceipt(Data([0x30, 0x00]))
  static let legacy = PurchaseProof.legacyReceipt(.init("{}".utf8))

  let server: ScriptedReceiptServer
  let time: SteppingClock
  /// A clock whose date is an hour after that of the answers.
  let clock = ManualClock(StoreDate(millisecondsSince1970: StoreAnswer.asked + 3_600_000))
  let verifier: ProofVerifier
  let problems = ReportedProblems()

  /// - Parameters:
  ///   - draw: the result of random choices: 0 for the minimum of each range, 1 for the maximum.
  ///   - anchors: if they are given, the verifier also verifies the receipt's signature itself.
  init(
    _ production: [ScriptedReceiptServer.Answer], sandbox: [ScriptedReceiptServer.Answer] = [],
    environments: Set<StoreEnvironment> = [.production, .sandbox], requestLimit: Int = 8,
    draw: Double = 0, anchors: TrustAnchors? = nil,
    _ change: (inout VerifyReceiptPolicy) -> Void = { _ in }
  ) throws {
    time = SteppingClock(dates: clock)
    server = ScriptedReceiptServer([.production: production, .sandbox: sandbox], time: time)
    var policy = VerifyReceiptPolicy(
      productionURL: ScriptedReceiptServer.production, sandboxURL: ScriptedReceiptServer.sandbox)
    change(&policy)
    verifier = try ProofVerifier(
      anchors: anchors ?? TrustAnchors(),
      policies: [
        VerificationPolicy(
          bundleID: StoreAnswer.app, environments: environments,
          method: anchors == nil ? .verifyReceipt(policy) : .both(policy))
      ], server: server, requestLimit: requestLimit, clock: time,
      chance: { $0.lowerBound + Int64(Double($0.count - 1) * draw) }, report: problems.add)
  }

  func verify(_ proof: PurchaseProof = receipt) async throws -> VerifiedProof {
    try await verifier.verify(proof, for: StoreAnswer.app)
  }

  /// Returns the refusal of the proof; nil if it is accepted.
  func refusal(_ proof: PurchaseProof = receipt) async -> ProofRefusal? {
    do throws(ProofRefusal) {
      _ = try await verifier.verify(proof, for: StoreAnswer.app)
      return nil
    } catch {
      return error
    }
  }
}
