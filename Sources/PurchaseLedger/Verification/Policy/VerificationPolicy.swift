import StoreModel

/// How proofs of one app are verified, and where they may come from. See Documentation/verification.md for the choice.
public struct VerificationPolicy: Hashable, Sendable {
  /// Who is asked whether a proof is good.
  public enum Method: Hashable, Sendable {
    /// Signature, chain, markers, dates, app and environment are checked here, and nobody is asked.
    ///
    /// It cannot know what happened after the proof was signed: a refund, above all.
    case offline
    /// The store's `verifyReceipt` is asked. Signed transactions are refused: they are no receipts.
    case verifyReceipt(VerifyReceiptPolicy)
    /// A receipt must pass here first, and then at the store; what the store says of its purchases counts, being newer.
    ///
    /// Signed transactions, where the policy takes them, are checked here only, and nobody is ever asked about them: the
    /// store's way for them is the App Store Server API.
    case both(VerifyReceiptPolicy)

    /// How `verifyReceipt` is asked; nil if it is not.
    public var verifyReceipt: VerifyReceiptPolicy? {
      switch self {
      case .offline: nil
      case .verifyReceipt(let policy), .both(let policy): policy
      }
    }

    /// The kinds of proof that are taken unless a policy says otherwise: all of them offline; where a store is asked,
    /// those it can be asked about. Whoever sends a proof chooses its kind, and must not so choose whether the store is
    /// asked.
    public var usualProofKinds: Set<PurchaseProof.Kind> {
      switch self {
      case .offline: [.appReceipt, .legacyReceipt, .signedTransaction]
      case .verifyReceipt, .both: [.appReceipt, .legacyReceipt]
      }
    }
  }

  /// The app. A proof of another one is refused.
  public var bundleID: BundleID
  /// Where proofs may come from.
  ///
  /// Production and the sandbox unless it is set: App Review and TestFlight buy in the sandbox with the app that is
  /// sold. Their purchases cost nothing, so whoever is in the beta gets what a server gives for them; every claim
  /// carries its environment, and the two are never mixed.
  public var environments: Set<StoreEnvironment>
  public var method: Method
  /// The kinds of proof that are taken; the others are refused with ``ProofRefusal/kindNotAccepted(_:)``.
  public var proofKinds: Set<PurchaseProof.Kind>

  /// - Parameters:
  ///   - bundleID: the app.
  ///   - environments: where proofs may come from; at least one.
  ///   - method: who is asked.
  ///   - proofKinds: what is taken, at least one; nil for the method's ``Method/usualProofKinds``.
  public init(
    bundleID: BundleID, environments: Set<StoreEnvironment> = [.production, .sandbox], method: Method,
    proofKinds: Set<PurchaseProof.Kind>? = nil
  ) {
    self.bundleID = bundleID
    self.environments = environments
    self.method = method
    self.proofKinds = proofKinds ?? method.usualProofKinds
  }
}
