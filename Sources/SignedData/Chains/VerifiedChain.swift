import Crypto
import CryptoExtras
import StoreModel

/// A verified chain, and the properties that are needed to verify further data with it.
struct VerifiedChain: Sendable {
  enum LeafKey: Sendable {
    case p256(P256.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)
  }

  let leafKey: LeafKey
  /// The dates at which all certificates of the chain are valid.
  let validity: ClosedRange<StoreDate>
  let anchor: SHA256Fingerprint
  /// Whether the chain is a single certificate, which is itself trusted. It is valid for Xcode's environment only.
  let isSelfSigned: Bool
  /// Leaf, intermediate and root in DER; the single certificate if it is itself trusted; empty for a legacy receipt.
  var certificates: [[UInt8]] = []
  /// The header of the JWS with the chain; nil if the chain is from a receipt.
  var header: JWSHeader?
  /// The fingerprints of the intermediate and the root; empty for a single certificate, and for legacy receipts.
  var issuers: Set<SHA256Fingerprint> = []

  /// Whether each of these certificates is the intermediate or the root of the chain.
  func contains(_ certificates: [CertificateOutline]) -> Bool {
    certificates.allSatisfy { issuers.contains(SHA256Fingerprint(of: $0.der)) }
  }

  func checkDate(_ date: StoreDate) throws(VerificationFailure) {
    guard validity.contains(date) else {
      throw VerificationFailure(
        fault: .date,
        detail: "it is dated \(date), but its certificates are valid from \(validity.lowerBound) to "
          + "\(validity.upperBound) only")
    }
  }

  /// Throws if the chain is a single certificate, and the environment is not Xcode's.
  func checkEnvironment(_ environment: StoreEnvironment?) throws(VerificationFailure) {
    guard !isSelfSigned || environment == .xcode else {
      throw VerificationFailure(
        fault: .environment,
        detail: "it is signed by a self-signed certificate, which is trusted for Xcode's environment only")
    }
  }
}
