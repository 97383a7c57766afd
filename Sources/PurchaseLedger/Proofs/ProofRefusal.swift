import Foundation
import SignedData
import StoreModel

/// Thrown when a proof is refused. Nothing was changed.
public enum ProofRefusal: DescribedError, Hashable, Sendable {
  /// The data are damaged, or are not a proof of the stated kind.
  case unreadable(detail: String)
  /// No trusted store has signed the proof, or it was altered, or the store has rejected it.
  case forged(detail: String)
  /// The proof is genuine, but belongs to another app.
  case wrongApp(detail: String)
  /// The proof is genuine, but from an environment that the app's policy does not accept.
  case wrongEnvironment(detail: String)
  /// The store account does not exist any more.
  case accountNotFound
  /// The app's policy does not accept this kind of proof.
  case kindNotAccepted(PurchaseProof.Kind)
  /// The app is not configured.
  case unknownApp(BundleID)
  /// The proof is genuine and new, and the store does not know its purchase yet. The app may send the same proof again later.
  case purchaseNotKnownYet(retryAfterSeconds: Int)
  /// The store could not be asked. The app may send the same proof again later.
  case storeUnavailable(retryAfterSeconds: Int)
  /// The store refuses this server's requests, so its configuration must be corrected. The app may send the same proof
  /// again later.
  case misconfigured(detail: String)

  /// Whether the same proof may be accepted later.
  public var isTemporary: Bool {
    switch self {
    case .purchaseNotKnownYet, .storeUnavailable, .misconfigured: true
    default: false
    }
  }

  public var description: String {
    switch self {
    case .unreadable(let detail): "The proof cannot be read: \(detail)."
    case .forged(let detail): "The proof is not genuine: \(detail)."
    case .wrongApp(let detail): "The proof is of another app: \(detail)."
    case .wrongEnvironment(let detail): "The proof is from another environment: \(detail)."
    case .accountNotFound: "The store does not know the account of this proof any more."
    case .kindNotAccepted(let kind): "The policy of this app does not take proofs of the kind \(kind.rawValue)."
    case .unknownApp(let app): "The app \(app) is not known here."
    case .purchaseNotKnownYet(let seconds):
      "The store does not know the purchase of this proof yet. Send it again in \(seconds) seconds."
    case .storeUnavailable(let seconds):
      "The store cannot verify the proof just now. Send it again in \(seconds) seconds."
    case .misconfigured(let detail): "The store refuses to answer this server: \(detail)."
    }
  }
}
