import SignedData
import StoreModel

@testable import PurchaseLedger

extension TeaStore {
  /// Returns a verifier of this store's proofs. It asks the store in this process.
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
      server: EmulatorReceiptServer(store: store), clock: SteppingClock(dates: clock))
  }
}

extension ProofVerifier {
  /// Returns the refusal of a proof; nil if it is accepted.
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
  /// The name of the case without its values, as the documentation writes it.
  var name: String {
    switch self {
    case .unreadable: "unreadable"
    case .forged: "forged"
    case .wrongApp: "wrongApp"
    case .wrongEnvironment: "wrongEnvironment"
    case .accountNotFound: "accountNotFound"
    case .kindNotAccepted: "kindNotAccepted"
    case .unknownApp: "unknownApp"
    case .purchaseNotKnownYet: "purchaseNotKnownYet"
    case .storeUnavailable: "storeUnavailable"
    case .misconfigured: "misconfigured"
    }
  }
}
