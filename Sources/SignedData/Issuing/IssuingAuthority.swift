import Foundation
import StoreModel

/// A certificate authority for everything that an emulated App Store signs: transactions, receipts, TLS.
///
/// It has the structure of the App Store's authorities, with its own names. For JWS, root and intermediate have P-384
/// keys, and leaves have P-256 keys. For receipts, all keys are RSA-2048. The intermediates and leaves of both have
/// Apple's marker extensions. Roots and intermediates are valid from 2014 to 2063. Each leaf is valid for two calendar
/// years, and is chosen by the date of signing. Keys are made at their first use, and then stored.
public final class IssuingAuthority: Sendable {
  let identities: IdentityCache
  /// Nil for leaves that depend on the date of signing only.
  private let context: IssuingContext?

  init(identities: IdentityCache, context: IssuingContext?) {
    self.identities = identities
    self.context = context
  }

  /// Stores the keys in a directory. Each key and its certificate are a PEM file of mode 0600.
  ///
  /// Several processes may share one directory; they use the same keys.
  ///
  /// - Parameter keyDirectory: the directory. It is made with mode 0700 if it is missing. If other users have access to
  ///   it, its mode is changed to 0700.
  /// - Throws: ``IssuingError/keyDirectory(path:reason:)``.
  public convenience init(keyDirectory: URL) throws(IssuingError) {
    self.init(identities: IdentityCache(store: try DirectoryKeyStore(keyDirectory)), context: nil)
  }

  /// Keeps the keys in memory only.
  public convenience init() {
    self.init(identities: IdentityCache(store: MemoryKeyStore()), context: nil)
  }

  /// An authority in memory for the whole process. All stores without a key directory use its keys, because making keys
  /// takes long.
  public static let shared = IssuingAuthority()

  /// The root certificate of JWS, in DER. Verifiers need it.
  public var jwsRootCertificate: [UInt8] { get throws(IssuingError) { try jwsRoot.der } }
  /// The intermediate certificate of JWS, in DER.
  public var jwsIntermediateCertificate: [UInt8] { get throws(IssuingError) { try jwsIntermediate.der } }
  /// The root certificate of receipts, in DER.
  public var receiptRootCertificate: [UInt8] { get throws(IssuingError) { try receiptRoot.der } }
  /// The intermediate certificate of receipts, in DER. Legacy receipts do not contain it.
  public var receiptIntermediateCertificate: [UInt8] { get throws(IssuingError) { try receiptIntermediate.der } }
  /// The root of TLS certificates, in DER.
  public var tlsRootCertificate: [UInt8] { get throws(IssuingError) { try tlsRoot.der } }

  /// The trust anchors with which a verifier accepts everything that this authority signs.
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

  /// The leaf that signs JWS at `date`, and the encoded JWS header with its chain.
  func jwsSigner(
    at date: StoreDate, _ validity: LeafValidity = .valid
  ) throws(IssuingError) -> (leaf: Identity, header: [UInt8]) {
    let year = try validity.windowYear(at: date)
    let profile = CertificateProfile(
      commonName: "OpenStoreKit Emulator Signing \(year)", role: .leaf, period: .leaf(windowYear: year),
      markers: [CertificateMarker.receiptSigning])
    let leaf = try leaf("jws-leaf-\(year)", .p256, issuer: try jwsIntermediate, profile, validity)
    return (leaf, identities.header(for: [leaf, try jwsIntermediate, try jwsRoot]))
  }

  /// The leaf that signs receipts at `date`, and its chain, which begins with the leaf.
  func receiptSigner(
    at date: StoreDate, _ validity: LeafValidity = .valid
  ) throws(IssuingError) -> (leaf: Identity, chain: [Identity]) {
    let year = try validity.windowYear(at: date)
    let profile = CertificateProfile(
      commonName: "OpenStoreKit Emulator Receipt Signing \(year)", role: .leaf, period: .leaf(windowYear: year),
      markers: [CertificateMarker.receiptSigning], hasReceiptPolicy: true)
    let leaf = try leaf("receipt-leaf-\(year)", .rsa2048, issuer: try receiptIntermediate, profile, validity)
    return (leaf, [leaf, try receiptIntermediate, try receiptRoot])
  }

  /// The leaf with the stored key `name`. Its certificate has `profile`, as the context changes it.
  private func leaf(
    _ name: String, _ kind: IssuingKey.Kind, issuer: @autoclosure () throws(IssuingError) -> Identity,
    _ profile: CertificateProfile, _ validity: LeafValidity
  ) throws(IssuingError) -> Identity {
    let leaf = try identities.identity(name, kind, issuer: try issuer()) { profile }
    guard let context else { return leaf }
    var changed = profile
    changed.ocspResponder = context.ocspResponder?.absoluteString
    if validity == .valid { changed.period = profile.period.covering(context.wallDate) }
    return try identities.identity(leaf, named: name, issuer: try issuer(), profile: changed)
  }

  func tlsAuthority() throws(IssuingError) -> Identity { try tlsRoot }

  func apiIdentityKey() throws(IssuingError) -> IssuingKey { try identities.key("api-key", .p256) }
}
