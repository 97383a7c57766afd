import Crypto
import CryptoExtras
import StoreModel

/// A chain that was walked and found good: all that is needed of it to verify the next piece of data by it.
struct VerifiedChain: Sendable {
  enum LeafKey: Sendable {
    case p256(P256.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)
  }

  let leafKey: LeafKey
  /// When all its certificates are valid.
  let validity: ClosedRange<StoreDate>
  let anchor: SHA256Fingerprint
  /// Signed by a certificate that is trusted by itself, for Xcode's environment only.
  let isSelfSigned: Bool
  /// Of the JWS it came in; nil if it came in a receipt.
  var header: JWSHeader?

  func checkDate(_ date: StoreDate) throws(VerificationFailure) {
    guard validity.contains(date) else {
      throw VerificationFailure(
        fault: .date,
        detail: "it is dated \(date), but its certificates are valid from \(validity.lowerBound) to "
          + "\(validity.upperBound) only")
    }
  }

  /// What is signed with an explicitly trusted certificate speaks for Xcode's environment and no other.
  func checkEnvironment(_ environment: StoreEnvironment?) throws(VerificationFailure) {
    guard !isSelfSigned || environment == .xcode else {
      throw VerificationFailure(
        fault: .environment,
        detail: "it is signed by a self-signed certificate, which is trusted for Xcode's environment only")
    }
  }
}
