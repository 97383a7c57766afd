import Foundation
import SignedData
import StoreModel

/// Why a proof was not believed. Nothing was changed.
public enum ProofRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is no proof of its kind: damaged, cut short, or something else.
  case unreadable(detail: String)
  /// It was not signed by a store that is trusted here, or altered afterwards, or the store disowns it.
  case forged(detail: String)
  /// It is genuine, but of another app.
  case wrongApp(detail: String)
  /// It is genuine, but from an environment that this app's policy does not take.
  case wrongEnvironment(detail: String)
  /// The store does not know the account any more.
  case accountNotFound
  /// The app's policy has no way to verify this kind of proof.
  case kindNotAccepted(PurchaseProof.Kind)
  /// The app is not configured here.
  case unknownApp(BundleID)
  /// The store cannot say just now. The same proof may be sent again.
  case storeUnavailable(retryAfterSeconds: Int)
  /// The store refuses what this server sends: its configuration has to be mended. The same proof may be sent again.
  case misconfigured(detail: String)

  /// Whether the same proof may be good later.
  public var isTemporary: Bool {
    switch self {
    case .storeUnavailable, .misconfigured: true
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
    case .storeUnavailable(let seconds):
      "The store cannot say just now whether the proof is good. Send it again in \(seconds) seconds."
    case .misconfigured(let detail): "The store refuses to answer this server: \(detail)."
    }
  }
}
