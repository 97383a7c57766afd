import SignedData
import StoreModel

@testable import PurchaseLedger

extension TeaStore {
  /// A verifier of proofs of this store, which it asks in this process.
  func verifier(
    _ method: VerificationPolicy.Method, app: BundleID = TeaStore.app,
    environments: Set<StoreEnvironment> = [.production, .sandbox], proofKinds: Set<PurchaseProof.Kind>? = nil,
    anchors: TrustAnchors? = nil
  ) throws -> ProofVerifier {
    try ProofVerifier(
      anchors: try anchors ?? self.anchors,
      policies: [
        VerificationPolicy(bundleID: app, environments: environments, method: method, proofKinds: proofKinds)
      ],
      server: EmulatorReceiptServer(store: store), clock: StepTime(dates: clock))
  }
}

extension ProofVerifier {
  /// Why a proof is refused; nil if it is not.
  func refusal(_ proof: PurchaseProof, for app: BundleID = TeaStore.app) async -> ProofRefusal? {
    do throws(ProofRefusal) {
      _ = try await verify(proof, for: app)
      return nil
    } catch {
      return error
    }
  }
}

extension ProofRefusal {
  /// The case without what it carries, as the documentation writes it.
  var name: String {
    switch self {
    case .unreadable: "unreadable"
    case .forged: "forged"
    case .wrongApp: "wrongApp"
    case .wrongEnvironment: "wrongEnvironment"
    case .accountNotFound: "accountNotFound"
    case .kindNotAccepted: "kindNotAccepted"
    case .unknownApp: "unknownApp"
    case .storeUnavailable: "storeUnavailable"
    case .misconfigured: "misconfigured"
    }
  }
}
