import SignedData
import StoreModel

/// How the proofs of one app are verified, and from which environments they are accepted. Documentation/verification.md
/// compares the methods.
public struct VerificationPolicy: Hashable, Sendable {
  /// How a proof is verified.
  public enum Method: Hashable, Sendable {
    /// Checks signature, certificate chain, markers, dates, app and environment on this server. The store is not asked.
    ///
    /// Events after the signing of the proof, above all refunds, stay unknown.
    case offline
    /// Asks the store's `verifyReceipt` endpoint. Signed transactions are refused, because they are not receipts.
    case verifyReceipt(VerifyReceiptPolicy)
    /// Verifies a receipt offline first, and then asks `verifyReceipt`. The store's answer decides about refunds, because it is
    /// newer.
    ///
    /// Signed transactions, if the policy accepts them, are verified offline only. The store answers requests about
    /// them only with the App Store Server API.
    case both(VerifyReceiptPolicy)
    /// Verifies a proof offline first, and then asks the App Store Server API. Its answers are signed, so they replace what the
    /// proof states. A bare transaction id is accepted only from some senders (``ProofSender``).
    case serverAPI(ServerAPIPolicy)

    /// The settings for `verifyReceipt` requests; nil for the other methods.
    public var verifyReceipt: VerifyReceiptPolicy? {
      switch self {
      case .offline, .serverAPI: nil
      case .verifyReceipt(let policy), .both(let policy): policy
      }
    }

    /// The settings for the App Store Server API; nil for the other methods.
    public var serverAPI: ServerAPIPolicy? { if case .serverAPI(let policy) = self { policy } else { nil } }

    /// The kinds of proof that are accepted by default: the signed kinds about which the store can be asked; with `offline` all
    /// signed kinds.
    ///
    /// The sender of a proof chooses its kind. That choice must not decide whether the store is asked.
    public var usualProofKinds: Set<PurchaseProof.Kind> {
      switch self {
      case .offline, .serverAPI: [.appReceipt, .legacyReceipt, .signedTransaction]
      case .verifyReceipt, .both: [.appReceipt, .legacyReceipt]
      }
    }
  }

  /// The app. Proofs of other apps are refused.
  public var bundleID: BundleID
  /// The environments from which proofs are accepted.
  ///
  /// The default is production and sandbox: App Review and TestFlight use the released app in the sandbox. Sandbox purchases
  /// cost nothing, so beta testers get their products for free. Every claim contains its environment, and purchases of the
  /// two environments are never mixed.
  public var environments: Set<StoreEnvironment>
  public var method: Method
  /// The signed kinds of proof that are accepted. Others are refused with ``ProofRefusal/kindNotAccepted(_:)``.
  public var proofKinds: Set<PurchaseProof.Kind>
  /// Whether the status of the signers' certificates is asked (OCSP), after their chain has reached a trusted root. Nil to
  /// ask nobody.
  public var certificateStatus: CertificateStatusCheck.Mode?
  /// The App Store's number of the app. Notifications of production with another number are refused. Nil does not check it.
  public var appAppleID: Int64?

  /// - Parameters:
  ///   - bundleID: the app.
  ///   - environments: the accepted environments; at least one.
  ///   - method: how proofs are verified.
  ///   - proofKinds: the accepted kinds, at least one; nil for the method's ``Method/usualProofKinds``, with the certificate
  ///     status `hard` without legacy receipts.
  ///   - certificateStatus: whether the status of certificates is asked; nil to ask nobody.
  public init(
    bundleID: BundleID, environments: Set<StoreEnvironment> = [.production, .sandbox], method: Method,
    proofKinds: Set<PurchaseProof.Kind>? = nil, certificateStatus: CertificateStatusCheck.Mode? = nil
  ) {
    self.bundleID = bundleID
    self.environments = environments
    self.method = method
    self.certificateStatus = certificateStatus
    let usual = method.usualProofKinds
    self.proofKinds = proofKinds ?? (certificateStatus == .hard ? usual.subtracting([.legacyReceipt]) : usual)
  }
}
