import Foundation
import StoreModel

/// A certificate authority of one's own, with everything an emulated App Store signs: transactions, receipts, TLS.
///
/// It has the App Store's shape: a P-384 root and intermediate with P-256 leaves for JWS, RSA-2048 throughout for
/// receipts, each with Apple's marker extensions, under names of its own. Roots and intermediates are valid from 2014
/// to 2063; leaves change every two calendar years, by the date that is signed. Keys are made when they are first
/// needed and then kept.
public final class IssuingAuthority: Sendable {
  private let identities: IdentityCache

  /// Keeps its keys in a directory, one PEM file of mode 0600 for each key and its certificate.
  ///
  /// Several processes may share one directory; they end up with the same keys.
  ///
  /// - Parameter keyDirectory: made with mode 0700 if it is missing; closed to others if it is not.
  /// - Throws: ``IssuingError/keyDirectory(path:reason:)``.
  public init(keyDirectory: URL) throws(IssuingError) {
    identities = IdentityCache(store: try DirectoryKeyStore(keyDirectory))
  }

  /// Keeps its keys in memory; they end with it.
  public init() {
    identities = IdentityCache(store: MemoryKeyStore())
  }

  /// One for the whole process, in memory: stores that live in one test process share its keys, which take longer to
  /// make than to use.
  public static let shared = IssuingAuthority()

  /// The root that JWS lead to, DER. Hand it to whoever verifies them.
  public var jwsRootCertificate: [UInt8] { get throws(IssuingError) { try jwsRoot.der } }
  /// What stands between JWS leaves and their root, DER.
  public var jwsIntermediateCertificate: [UInt8] { get throws(IssuingError) { try jwsIntermediate.der } }
  /// The root that receipts lead to, DER.
  public var receiptRootCertificate: [UInt8] { get throws(IssuingError) { try receiptRoot.der } }
  /// What stands between receipt leaves and their root, DER. Legacy receipts do not carry it.
  public var receiptIntermediateCertificate: [UInt8] { get throws(IssuingError) { try receiptIntermediate.der } }
  /// The root of TLS certificates, DER.
  public var tlsRootCertificate: [UInt8] { get throws(IssuingError) { try tlsRoot.der } }

  /// What a verifier must trust to accept all that this authority signs.
  public var anchors: TrustAnchors {
    get throws(IssuingError) {
      TrustAnchors(
        certificates: [try jwsRootCertificate, try receiptRootCertificate],
        legacyIntermediates: [try receiptIntermediateCertificate])
    }
  }
}

extension IssuingAuthority {
  private var jwsRoot: Identity {
    get throws(IssuingError) {
      try identities.identity("jws-root", .p384, issuer: nil) {
        CertificateProfile(commonName: "OpenStoreKit Emulator Root CA", role: .root, period: .authority)
      }
    }
  }

  private var jwsIntermediate: Identity {
    get throws(IssuingError) {
      try identities.identity("jws-intermediate", .p384, issuer: try jwsRoot) {
        CertificateProfile(
          commonName: "OpenStoreKit Emulator Signing CA", role: .intermediate, period: .authority,
          markers: [CertificateMarker.developerRelations])
      }
    }
  }

  private var receiptRoot: Identity {
    get throws(IssuingError) {
      try identities.identity("receipt-root", .rsa2048, issuer: nil) {
        CertificateProfile(commonName: "OpenStoreKit Emulator Receipt Root CA", role: .root, period: .authority)
      }
    }
  }

  private var receiptIntermediate: Identity {
    get throws(IssuingError) {
      try identities.identity("receipt-intermediate", .rsa2048, issuer: try receiptRoot) {
        CertificateProfile(
          commonName: "OpenStoreKit Emulator Receipt Signing CA", role: .intermediate, period: .authority,
          markers: [CertificateMarker.developerRelations])
      }
    }
  }

  private var tlsRoot: Identity {
    get throws(IssuingError) {
      try identities.identity("tls-root", .p256, issuer: nil) {
        CertificateProfile(commonName: "OpenStoreKit Emulator TLS Root CA", role: .root, period: .authority)
      }
    }
  }

  /// The leaf that signs JWS at `date`, and the encoded header that names it and what it leads to.
  func jwsSigner(at date: StoreDate) throws(IssuingError) -> (leaf: Identity, header: [UInt8]) {
    let year = try CertificatePeriod.windowYear(of: date)
    let leaf = try identities.identity("jws-leaf-\(year)", .p256, issuer: try jwsIntermediate) {
      CertificateProfile(
        commonName: "OpenStoreKit Emulator Signing \(year)", role: .leaf, period: .leaf(windowYear: year),
        markers: [CertificateMarker.receiptSigning])
    }
    return (leaf, identities.header(for: [leaf, try jwsIntermediate, try jwsRoot]))
  }

  /// The leaf that signs receipts at `date`, followed by the certificates it leads to.
  func receiptSigner(at date: StoreDate) throws(IssuingError) -> (leaf: Identity, chain: [Identity]) {
    let year = try CertificatePeriod.windowYear(of: date)
    let leaf = try identities.identity("receipt-leaf-\(year)", .rsa2048, issuer: try receiptIntermediate) {
      CertificateProfile(
        commonName: "OpenStoreKit Emulator Receipt Signing \(year)", role: .leaf, period: .leaf(windowYear: year),
        markers: [CertificateMarker.receiptSigning], hasReceiptPolicy: true)
    }
    return (leaf, [leaf, try receiptIntermediate, try receiptRoot])
  }

  func tlsAuthority() throws(IssuingError) -> Identity { try tlsRoot }

  func apiIdentityKey() throws(IssuingError) -> IssuingKey { try identities.key("api-key", .p256) }
}
