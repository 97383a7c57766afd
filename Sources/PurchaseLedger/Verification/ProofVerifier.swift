import Foundation
import SignedData
import StoreModel

/// Verifies proofs of purchase, each app's by its own policy. Nothing is written, and no database is asked.
///
/// ```swift
/// let verifier = try ProofVerifier(
///   anchors: .apple,
///   policies: [VerificationPolicy(bundleID: "com.example.game", method: .both(VerifyReceiptPolicy()))],
///   server: server)
/// let proof = try await verifier.verify(.appReceipt(data), for: "com.example.game")
/// ```
public final class ProofVerifier: Sendable {
  /// Says whether the store may be asked again: nil, or how many seconds to wait with it.
  public typealias RetryPermission = @Sendable () async -> Int?

  private let verifier: SignedDataVerifier
  private let policies: [BundleID: VerificationPolicy]
  private let report: @Sendable (VerificationProblem) -> Void
  let client: VerifyReceiptClient

  /// - Parameters:
  ///   - anchors: what signed data must lead back to; those of the ledger.
  ///   - policies: one for each app. Of two for the same app the later one counts.
  ///   - server: sends `verifyReceipt` requests.
  ///   - questionLimit: how many receipts the store is asked about at a time; at least 1. Above it, apps are told to come
  ///     back later.
  ///   - clock: bounds the dates of the store's answers, by ``VerifyReceiptPolicy/secondsAhead``. It also measures pauses, timeouts and
  ///     breakers.
  ///   - chance: draws a number of a range, for pauses.
  ///   - report: told what goes wrong between here and the store.
  /// - Throws: ``UnusableVerificationPolicy``.
  public init(
    anchors: TrustAnchors, policies: [VerificationPolicy], server: any ReceiptServer, questionLimit: Int = 256,
    clock: any MachineClock = SystemClock(),
    chance: @escaping @Sendable (ClosedRange<Int64>) -> Int64 = { Int64.random(in: $0) },
    report: @escaping @Sendable (VerificationProblem) -> Void = { _ in }
  ) throws(UnusableVerificationPolicy) {
    precondition(questionLimit >= 1, "a verifier that may ask nothing verifies nothing")
    for policy in policies {
      if let problem = policy.problem(with: anchors) {
        throw UnusableVerificationPolicy(app: policy.bundleID, problem: problem)
      }
    }
    verifier = SignedDataVerifier(anchors: anchors)
    self.report = report
    self.policies = Dictionary(policies.map { ($0.bundleID, $0) }) { $1 }
    client = VerifyReceiptClient(
      server: server, clock: clock, chance: chance, limit: questionLimit, report: report)
  }

  /// Verifies a proof that is said to be of `app`.
  ///
  /// Where the store is asked, this takes as long as the policy's total timeout at most, cancelled or not.
  ///
  /// - Parameter retryPermission: asked each time before the store, which failed, is asked again. Who asks about the same receipt at
  ///   the same time shares the answer to the first one's question, and its permission.
  /// - Throws: ``ProofRefusal``.
  public func verify(
    _ proof: PurchaseProof, for app: BundleID, retryPermission: @escaping RetryPermission = { nil }
  ) async throws(ProofRefusal) -> VerifiedProof {
    let policy = try policy(of: app)
    guard policy.proofKinds.contains(proof.kind) else { throw .kindNotAccepted(proof.kind) }
    return try await verified(proof, policy, retryPermission)
  }

  private func verified(
    _ proof: PurchaseProof, _ policy: VerificationPolicy, _ retryPermission: @escaping RetryPermission
  ) async throws(ProofRefusal) -> VerifiedProof {
    try proof.checkOutside()
    switch (policy.method, proof) {
    case (.offline, _), (.both, .signedTransaction): return try await verifyOffline(proof, policy)
    // The App Store Server API, which is the store's way for signed transactions, has its place here.
    case (.verifyReceipt, .signedTransaction): throw .kindNotAccepted(.signedTransaction)
    case (.verifyReceipt(let asking), .appReceipt(let data)), (.verifyReceipt(let asking), .legacyReceipt(let data)):
      let statement = try await client.statement(
        on: data, of: proof.kind, isGoodHere: false, by: policy, asking, retryPermission: retryPermission)
      return VerifiedProof(proof, policy, statement, signed: await signedPart(of: proof, policy))
    case (.both(let asking), .appReceipt(let data)), (.both(let asking), .legacyReceipt(let data)):
      let signed = try await verifyOffline(proof, policy)
      let statement = try await client.statement(
        on: data, of: proof.kind, isGoodHere: true, by: policy, asking, retryPermission: retryPermission)
      return VerifiedProof(proof, policy, try agreed(statement, with: signed, policy, asking), signed: signed)
    }
  }

  /// Compares the store's answer with the signed receipt.
  ///
  /// - Throws: ``ProofRefusal/storeUnavailable(retryAfterSeconds:)`` where they contradict each other. That is not the
  ///   customer's fault, and nothing is given.
  private func agreed(
    _ statement: VerifiedAnswer, with signed: VerifiedProof, _ policy: VerificationPolicy,
    _ asking: VerifyReceiptPolicy
  ) throws(ProofRefusal) -> VerifiedAnswer {
    let url = asking.url(of: statement.environment)
    do throws(VerifiedAnswer.Contradiction) {
      let (agreed, unexplained) = try statement.agreeing(with: signed)
      if !unexplained.isEmpty {
        let ids = unexplained.prefix(10).map(\.rawValue).joined(separator: ", ")
        report(
          VerificationProblem(
            app: policy.bundleID, url: url, detail: "its answer has transactions that the signed receipt lacks: \(ids)."
          ))
      }
      return agreed
    } catch {
      report(VerificationProblem(app: policy.bundleID, url: url, detail: "\(error)"))
      throw .storeUnavailable(retryAfterSeconds: StatusMeaning.longWaitSeconds)
    }
  }

  /// Whether ``verify(_:for:)`` would ask the store about a proof now: whether its policy says so, and the answer to the
  /// last question is not known still.
  public func asksStore(about proof: PurchaseProof, for app: BundleID) -> Bool {
    switch proof {
    case .signedTransaction: false
    case .appReceipt(let receipt), .legacyReceipt(let receipt):
      policies[app]?.method.verifyReceipt != nil && !client.knows(receipt, of: proof.kind, for: app)
    }
  }

  /// Whether a proof's signature is good here, whatever the store would say about it.
  public func isGenuine(_ proof: PurchaseProof, for app: BundleID) async -> Bool {
    guard let policy = policies[app] else { return false }
    return await signedPart(of: proof, policy) != nil
  }

  /// Asks the store again about a proof that was verified before, as ``verify(_:for:)`` does; also about a kind that the
  /// policy has ceased to take, for what was given for it is still there.
  ///
  /// - Returns: what the store says now; nil if there is nobody to ask: under the policy `offline`, and for signed
  ///   transactions.
  /// - Throws: ``ProofRefusal``. One that is temporary says nothing of the purchases.
  public func verifyAgain(
    _ proof: PurchaseProof, for app: BundleID
  ) async throws(ProofRefusal) -> VerifiedProof? {
    let policy = try policy(of: app)
    guard policy.method.verifyReceipt != nil, proof.kind != .signedTransaction else { return nil }
    return try await verified(proof, policy, { nil })
  }

  private func policy(of app: BundleID) throws(ProofRefusal) -> VerificationPolicy {
    guard let policy = policies[app] else { throw .unknownApp(app) }
    return policy
  }

  /// What a receipt, which the store vouches for, says under a signature that is good here, too; nil if it is not.
  ///
  /// The store vouches for the bytes as it reads them. Whether they are read the same here, only the signature tells: it
  /// decides whether the device they name is believed.
  private func signedPart(of proof: PurchaseProof, _ policy: VerificationPolicy) async -> VerifiedProof? {
    do throws(ProofRefusal) {
      return try await verifyOffline(proof, policy)
    } catch {
      return nil
    }
  }

  private func verifyOffline(
    _ proof: PurchaseProof, _ policy: VerificationPolicy
  ) async throws(ProofRefusal) -> VerifiedProof {
    try await VerifiedProof(proof, policy, verifiedBy: verifier)
  }
}
