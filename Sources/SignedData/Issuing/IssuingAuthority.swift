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
  let context: (@Sendable () -> IssuingContext)?

  init(identities: IdentityCache, context: (@Sendable () -> IssuingContext)?) {
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
  public var jwsRootCertificate: [UInt8] { get throws(IssuingError) { try identity(of: .jwsRoot).der } }
  /// The intermediate certificate of JWS, in DER.
  public var jwsIntermediateCertificate: [UInt8] { get throws(IssuingError) { try identity(of: .jwsIntermediate).der } }
  /// The root certificate of receipts, in DER.
  public var receiptRootCertificate: [UInt8] { get throws(IssuingError) { try identity(of: .receiptRoot).der } }
  /// The intermediate certificate of receipts, in DER. Legacy receipts do not contain it.
  public var receiptIntermediateCertificate: [UInt8] {
    get throws(IssuingError) { try identity(of: .receiptIntermediate).der }
  }
  /// The root of TLS certificates, in DER.
  public var tlsRootCertificate: [UInt8] { get throws(IssuingError) { try identity(of: .tlsRoot).der } }

  /// The trust anchors with which a verifier accepts everything that this authority signs.
  public var anchors: TrustAnchors {
    get throws(IssuingError) {
      TrustAnchors(
        certificates: [try jwsRootCertificate, try receiptRootCertificate],
        legacyIntermediates: [try receiptIntermediateCertificate])
    }
  }
}

/// A certificate authority whose key and certificate are stored, under its raw value.
enum Issuer: String, CaseIterable, Sendable {
  case jwsRoot = "jws-root"
  case jwsIntermediate = "jws-intermediate"
  /// The intermediate of ``SigningChain/rotatedIntermediate``.
  case rotatedJWSIntermediate = "jws-intermediate-2"
  case receiptRoot = "receipt-root"
  case receiptIntermediate = "receipt-intermediate"
  case rotatedReceiptIntermediate = "receipt-intermediate-2"
  case tlsRoot = "tls-root"

  /// The issuer of its certificate; nil for a root.
  var parent: Issuer? {
    switch self {
    case .jwsRoot, .receiptRoot, .tlsRoot: nil
    case .jwsIntermediate, .rotatedJWSIntermediate: .jwsRoot
    case .receiptIntermediate, .rotatedReceiptIntermediate: .receiptRoot
    }
  }

  var keyKind: IssuingKey.Kind {
    switch self {
    case .jwsRoot, .jwsIntermediate, .rotatedJWSIntermediate: .p384
    case .receiptRoot, .receiptIntermediate, .rotatedReceiptIntermediate: .rsa2048
    case .tlsRoot: .p256
    }
  }

  var profile: CertificateProfile {
    CertificateProfile(
      commonName: "OpenStoreKit Emulator \(commonNameEnd)", role: parent == nil ? .root : .intermediate,
      period: .authority, markers: parent == nil ? [] : [CertificateMarker.developerRelations])
  }

  private var commonNameEnd: String {
    switch self {
    case .jwsRoot: "Root CA"
    case .jwsIntermediate: "Signing CA"
    case .rotatedJWSIntermediate: "Signing CA 2"
    case .receiptRoot: "Receipt Root CA"
    case .receiptIntermediate: "Receipt Signing CA"
    case .rotatedReceiptIntermediate: "Receipt Signing CA 2"
    case .tlsRoot: "TLS Root CA"
    }
  }
}

extension IssuingAuthority {
  /// The key of an issuer, and its certificate in the context.
  func identity(of issuer: Issuer) throws(IssuingError) -> Identity {
    let stored = try storedIdentity(of: issuer)
    guard let parent = issuer.parent, let address = context?().ocspResponder else { return stored }
    var profile = issuer.profile
    profile.ocspResponder = address.absoluteString
    return try identities.certified(stored.key, named: issuer.rawValue, by: try identity(of: parent), profile)
  }

  /// The key of an issuer, and its certificate without context.
  func storedIdentity(of issuer: Issuer) throws(IssuingError) -> Identity {
    try identities.identity(
      issuer.rawValue, issuer.keyKind,
      issuer: try issuer.parent.map { parent throws(IssuingError) in try storedIdentity(of: parent) }
    ) { issuer.profile }
  }

  /// The leaf that signs JWS at `date`, and the encoded JWS header with its chain.
  func jwsSigner(
    at date: StoreDate, _ chain: SigningChain = .valid
  ) throws(IssuingError) -> (leaf: Identity, header: [UInt8]) {
    let year = try chain.windowYear(at: date)
    let profile = CertificateProfile(
      commonName: "OpenStoreKit Emulator Signing \(year)", role: .leaf, period: .leaf(windowYear: year),
      markers: [CertificateMarker.receiptSigning])
    let leaf = try leaf("jws-leaf-\(year)", .p256, of: .jwsIntermediate, profile, chain)
    let issuer = try identity(of: chain.issuer(insteadOf: .jwsIntermediate))
    return (leaf, identities.header(for: [leaf, issuer, try identity(of: .jwsRoot)]))
  }

  /// The leaf that signs receipts at `date`, and its chain, which begins with the leaf.
  func receiptSigner(
    at date: StoreDate, _ chain: SigningChain = .valid
  ) throws(IssuingError) -> (leaf: Identity, chain: [Identity]) {
    let year = try chain.windowYear(at: date)
    let profile = CertificateProfile(
      commonName: "OpenStoreKit Emulator Receipt Signing \(year)", role: .leaf, period: .leaf(windowYear: year),
      markers: [CertificateMarker.receiptSigning], hasReceiptPolicy: true)
    let leaf = try leaf("receipt-leaf-\(year)", .rsa2048, of: .receiptIntermediate, profile, chain)
    let issuer = try identity(of: chain.issuer(insteadOf: .receiptIntermediate))
    return (leaf, [leaf, issuer, try identity(of: .receiptRoot)])
  }

  /// The leaf with the stored key `name`. Its certificate has `profile`, as context and chain change it.
  private func leaf(
    _ name: String, _ kind: IssuingKey.Kind, of usualIssuer: Issuer, _ profile: CertificateProfile,
    _ chain: SigningChain
  ) throws(IssuingError) -> Identity {
    let leaf = try identities.identity(name, kind, issuer: try storedIdentity(of: usualIssuer)) { profile }
    let context = context?()
    let issuer = chain.issuer(insteadOf: usualIssuer)
    if context == nil, issuer == usualIssuer { return leaf }
    var changed = profile
    changed.ocspResponder = context?.ocspResponder?.absoluteString
    if chain.isValidNow, let context { changed.period = profile.period.covering(context.wallDate) }
    return try identities.certified(leaf.key, named: name, by: try identity(of: issuer), changed)
  }

  func apiIdentityKey() throws(IssuingError) -> IssuingKey { try identities.key("api-key", .p256) }
}
