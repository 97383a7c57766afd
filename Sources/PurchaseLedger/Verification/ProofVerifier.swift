import AppStoreServerAPI
import Foundation
import HTTPTransport
import SignedData
import StoreModel

/// Verifies proofs of purchase by the policy of their app. It writes nothing and uses no database.
///
/// ```swift
/// let verifier = try ProofVerifier(
///   anchors: .apple,
///   policies: [VerificationPolicy(bundleID: "com.example.game", method: .both(VerifyReceiptPolicy()))],
///   server: server)
/// let proof = try await verifier.verify(.appReceipt(data), for: "com.example.game")
/// ```
public final class ProofVerifier: Sendable {
  /// Decides whether the store may be asked again. Returns nil if it may, otherwise the seconds to wait.
  public typealias RetryPermission = @Sendable () async -> Int?
  /// Returns those of the requested purchases in an app receipt that are consumables and that no customer has claimed.
  public typealias ConsumableLookup =
    @Sendable (_ requested: Set<TransactionID>, _ receipt: VerifiedProof) async -> Set<TransactionID>

  let verifier: SignedDataVerifier
  private let policies: [BundleID: VerificationPolicy]
  private let report: @Sendable (VerificationProblem) -> Void
  let client: VerifyReceiptClient
  let serverAPI: ServerAPIRequests
  private let certificateStatuses: CertificateStatusCache

  /// - Parameters:
  ///   - anchors: the trust anchors of the ledger.
  ///   - policies: one for each app. If an app has several, the last one is used.
  ///   - server: sends `verifyReceipt` requests.
  ///   - transport: sends the requests of the App Store Server API, and asks about the status of certificates; nil for the system's.
  ///   - requestLimit: the maximum number of proofs that the store is asked about at once, by each of the two ways; at least 1.
  ///     Further proofs are refused with ``ProofRefusal/storeUnavailable(retryAfterSeconds:)``.
  ///   - clock: limits the dates of the store's answers, by ``VerifyReceiptPolicy/secondsAhead``. It also measures pauses,
  ///     timeouts and breakers.
  ///   - storeClock: decides whether a purchase is so new that the store may not know it yet. Pass the store's clock if it differs
  ///     from `clock`; nil for `clock`.
  ///   - chance: returns a random number of the range, for pauses.
  ///   - report: receives problems between this server and the store.
  /// - Throws: ``UnusableVerificationPolicy``.
  public init(
    anchors: TrustAnchors, policies: [VerificationPolicy], server: any ReceiptServer,
    transport: (any HTTPSender)? = nil, requestLimit: Int = 256, clock: any MachineClock = SystemClock(),
    storeClock: (any MachineClock)? = nil,
    chance: @escaping @Sendable (ClosedRange<Int64>) -> Int64 = { Int64.random(in: $0) },
    report: @escaping @Sendable (VerificationProblem) -> Void = { _ in }
  ) throws(UnusableVerificationPolicy) {
    precondition(requestLimit >= 1, "the limit must be at least 1")
    for policy in policies {
      if let problem = policy.problem(with: anchors) {
        throw UnusableVerificationPolicy(app: policy.bundleID, problem: problem)
      }
    }
    verifier = SignedDataVerifier(anchors: anchors)
    self.report = report
    self.policies = Dictionary(policies.map { ($0.bundleID, $0) }) { $1 }
    client = VerifyReceiptClient(
      server: server, clock: clock, chance: chance, limit: requestLimit, report: report)
    let clients = self.policies.compactMapValues { policy in
      policy.method.serverAPI?.client(
        for: policy.bundleID, accepting: policy.environments, anchors: anchors, transport: transport, clock: clock,
        chance: chance)
    }
    serverAPI = ServerAPIRequests(
      clients: clients, clock: clock, storeClock: storeClock ?? clock, limit: requestLimit, report: report)
    certificateStatuses = CertificateStatusCache(
      transport: transport ?? SystemTransport(timeoutSeconds: 10), clock: clock, report: report)
  }

  /// The client of an app that is verified by the App Store Server API; nil for other apps. Use it for all calls of the app,
  /// because it keeps the token and the state of the endpoints.
  public func serverAPIClient(of app: BundleID) -> AppStoreServerAPIClient? { serverAPI.clients[app] }

  /// Verifies a proof of purchases in `app`.
  ///
  /// If the store is asked, the call takes at most the policy's total timeout. It does not return earlier if the task
  /// is cancelled.
  ///
  /// - Parameters:
  ///   - sender: decides whether a bare transaction id is accepted. If it is not, the refusal does not show whether there is such
  ///     a purchase: it is always ``ProofRefusal/kindNotAccepted(_:)``.
  ///   - requested: the ids of the purchases to redeem. The App Store Server API is asked about those that an app receipt lacks.
  ///   - unclaimed: finds the requested purchases in an app receipt whose `appAccountToken` matters, which receipts lack
  ///     (``Ledger/unclaimedConsumables(_:in:)``). The App Store Server API is asked about them. The default returns all.
  ///   - retryPermission: called before each retry. Simultaneous callers with the same receipt share one
  ///     request, which uses the permission of the first caller.
  /// - Throws: ``ProofRefusal``.
  public func verify(
    _ proof: PurchaseProof, for app: BundleID, from sender: ProofSender = .anonymous,
    requested: Set<TransactionID> = [], unclaimed: ConsumableLookup = { requested, _ in requested },
    retryPermission: @escaping RetryPermission = { nil }
  ) async throws(ProofRefusal) -> VerifiedProof {
    let policy = try policy(of: app)
    if case .transactionID(let id) = proof { return try await verify(id, policy, from: sender, retryPermission) }
    guard policy.proofKinds.contains(proof.kind) else { throw .kindNotAccepted(proof.kind) }
    return try await verified(proof, policy, requested, unclaimed, retryPermission)
  }

  private func verified(
    _ proof: PurchaseProof, _ policy: VerificationPolicy, _ requested: Set<TransactionID>,
    _ unclaimed: ConsumableLookup, _ retryPermission: @escaping RetryPermission
  ) async throws(ProofRefusal) -> VerifiedProof {
    try proof.checkFormat()
    switch (policy.method, proof) {
    case (.offline, _), (.both, .signedTransaction): return try await verifyOffline(proof, policy)
    case (.serverAPI(let asking), _):
      let signed = try await verifyOffline(proof, policy)
      return try await verify(signed, policy, asking, requested: requested, unclaimed, retryPermission)
    case (_, .transactionID): throw .kindNotAccepted(.transactionID)
    case (.verifyReceipt, .signedTransaction): throw .kindNotAccepted(.signedTransaction)
    case (.verifyReceipt(let asking), .appReceipt(let data)), (.verifyReceipt(let asking), .legacyReceipt(let data)):
      let answer: VerifiedAnswer
      do throws(ProofRefusal) {
        answer = try await client.answer(
          on: data, of: proof.kind, isSignatureVerified: false, by: policy, asking, retryPermission: retryPermission)
      } catch .unreadable(let detail) {
        throw await refusal(of: proof, policy, calledUnreadable: detail)
      }
      return VerifiedProof(proof, policy, answer, signed: await signedPart(of: proof, policy))
    case (.both(let asking), .appReceipt(let data)), (.both(let asking), .legacyReceipt(let data)):
      let signed = try await verifyOffline(proof, policy)
      let answer = try await client.answer(
        on: data, of: proof.kind, isSignatureVerified: true, by: policy, asking, retryPermission: retryPermission)
      return VerifiedProof(proof, policy, try agreed(answer, with: signed, policy, asking), signed: signed)
    }
  }

  /// Compares the store's answer with the signed receipt, and returns the transactions that both have.
  ///
  /// - Throws: ``ProofRefusal/storeUnavailable(retryAfterSeconds:)`` if they contradict each other. That is not the customer's
  ///   fault, so the refusal is temporary.
  private func agreed(
    _ answer: VerifiedAnswer, with signed: VerifiedProof, _ policy: VerificationPolicy,
    _ asking: VerifyReceiptPolicy
  ) throws(ProofRefusal) -> VerifiedAnswer {
    let url = asking.url(of: answer.environment)
    do throws(VerifiedAnswer.Contradiction) {
      let (agreed, unexplained) = try answer.agreeing(with: signed)
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

  /// Whether ``verify(_:for:from:requested:unclaimed:retryPermission:)`` would send a request to the store now: the app's policy uses the
  /// store, and no recent answer about this proof is cached.
  public func requiresStoreRequest(
    about proof: PurchaseProof, for app: BundleID, from sender: ProofSender = .anonymous,
    requested: Set<TransactionID> = [], unclaimed: ConsumableLookup = { requested, _ in requested }
  ) async -> Bool {
    switch (policies[app]?.method, proof) {
    case (.serverAPI, _):
      await requiresServerAPI(about: proof, for: app, from: sender, requested: requested, unclaimed)
    case (.verifyReceipt, .appReceipt(let receipt)), (.verifyReceipt, .legacyReceipt(let receipt)),
      (.both, .appReceipt(let receipt)), (.both, .legacyReceipt(let receipt)):
      !client.knows(receipt, of: proof.kind, for: app)
    case (_, _): false
    }
  }

  /// Whether this server can verify a proof's signature. The store is not asked.
  public func isGenuine(_ proof: PurchaseProof, for app: BundleID) async -> Bool {
    guard let policy = policies[app] else { return false }
    return await signedPart(of: proof, policy) != nil
  }

  /// Verifies a stored receipt again by asking the store, unless a recent answer about it is cached. Works like
  /// ``verify(_:for:from:requested:unclaimed:retryPermission:)``, but also verifies kinds of proof that the policy no longer accepts,
  /// because earlier claims may depend on them.
  ///
  /// - Returns: the store's answer, at most ``VerifyReceiptPolicy/reuseSeconds`` old; nil if the store cannot be asked: with
  ///   the method `offline`, for signed transactions, and for transaction ids, which ``readHistory(of:in:for:after:record:)`` is
  ///   for.
  /// - Throws: ``ProofRefusal``. A temporary refusal does not change the status of the purchases.
  public func verifyAgain(
    _ proof: PurchaseProof, for app: BundleID
  ) async throws(ProofRefusal) -> VerifiedProof? {
    let policy = try policy(of: app)
    guard policy.method != .offline, proof.kind == .appReceipt || proof.kind == .legacyReceipt else { return nil }
    return try await verified(proof, policy, [], { _, _ in [] }, { nil })
  }

  func policy(of app: BundleID) throws(ProofRefusal) -> VerificationPolicy {
    guard let policy = policies[app] else { throw .unknownApp(app) }
    return policy
  }

  /// Returns the content of a receipt that the store accepts, if this server can verify its signature, too; otherwise nil.
  ///
  /// The store and this server might parse the same bytes differently. Only a verified signature shows that both read
  /// the same content. So the device in the receipt is trusted only with a verified signature.
  private func signedPart(of proof: PurchaseProof, _ policy: VerificationPolicy) async -> VerifiedProof? {
    do throws(ProofRefusal) {
      return try await verifyOffline(proof, policy)
    } catch {
      return nil
    }
  }

  /// The refusal of a receipt that the store calls unreadable. Apple's endpoint gives the same answer to damaged and to
  /// forged receipts, so this server's own check decides which it is.
  private func refusal(
    of proof: PurchaseProof, _ policy: VerificationPolicy, calledUnreadable detail: String
  ) async -> ProofRefusal {
    do throws(ProofRefusal) {
      _ = try await verifyOffline(proof, policy)
    } catch .forged(let reason) {
      return .forged(detail: "\(reason); \(detail)")
    } catch {}
    return .unreadable(detail: detail)
  }

  private func verifyOffline(
    _ proof: PurchaseProof, _ policy: VerificationPolicy
  ) async throws(ProofRefusal) -> VerifiedProof {
    try await VerifiedProof(proof, policy, verifiedBy: verifier) { (certificates) async throws(ProofRefusal) in
      try await check(certificates, policy)
    }
  }

  /// Checks the status of certificates that lead to a trusted root, if the policy says so.
  ///
  /// - Parameter certificates: those of `Verified`.
  /// - Throws: ``ProofRefusal/forged(detail:)`` if a certificate is revoked; ``ProofRefusal/storeUnavailable(retryAfterSeconds:)``
  ///   if a `hard` check gets no answer.
  func check(_ certificates: [[UInt8]], _ policy: VerificationPolicy) async throws(ProofRefusal) {
    // A legacy receipt contains no chain, and a single certificate is itself trusted.
    guard let mode = policy.certificateStatus, certificates.count == 3 else { return }
    try await certificateStatuses.check(certificates, mode, of: policy.bundleID)
  }
}
