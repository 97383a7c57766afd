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
  public let style: Style

  /// The store whose signatures an authority makes.
  public enum Style: Hashable, Sendable {
    case appStore
    /// StoreKit testing in Xcode: a self-signed certificate for JWS, with a P-256 key, and one for receipts, with an RSA key.
    /// No App Store accepts what they sign, and a verifier only for `StoreEnvironment.xcode`. Unlike Xcode's, they are valid
    /// from 2014 to 2063, because the clock of a test may be set to any date.
    case xcode
  }

  init(identities: IdentityCache, context: (@Sendable () -> IssuingContext)?, style: Style = .appStore) {
    self.identities = identities
    self.context = context
    self.style = style
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

  /// Returns an authority with the same store of keys that signs as StoreKit testing in Xcode does.
  public var ofXcode: IssuingAuthority { IssuingAuthority(identities: identities, context: nil, style: .xcode) }

  /// The root certificate of JWS, in DER. Verifiers need it. With ``Style/xcode``, the only certificate.
  public var jwsRootCertificate: [UInt8] {
    get throws(IssuingError) { try identity(of: style == .xcode ? .xcodeJWS : .jwsRoot).der }
  }
  /// The intermediate certificate of JWS, in DER.
  public var jwsIntermediateCertificate: [UInt8] { get throws(IssuingError) { try identity(of: .jwsIntermediate).der } }
  /// The root certificate of receipts, in DER. With ``Style/xcode``, the only certificate.
  public var receiptRootCertificate: [UInt8] {
    get throws(IssuingError) { try identity(of: style == .xcode ? .xcodeReceipt : .receiptRoot).der }
  }
  /// The intermediate certificate of receipts, in DER. Legacy receipts do not contain it.
  public var receiptIntermediateCertificate: [UInt8] {
    get throws(IssuingError) { try identity(of: .receiptIntermediate).der }
  }
  /// The root of TLS certificates, in DER.
  public var tlsRootCertificate: [UInt8] { get throws(IssuingError) { try identity(of: .tlsRoot).der } }

  /// The trust anchors with which a verifier accepts everything that this authority signs.
  public var anchors: TrustAnchors {
    get throws(IssuingError) {
      if style == .xcode {
        return TrustAnchors(
          selfSignedFingerprints: [
            SHA256Fingerprint(of: try jwsRootCertificate), SHA256Fingerprint(of: try receiptRootCertificate),
          ])
      }
      return TrustAnchors(
        certificates: [try jwsRootCertificate, try receiptRootCertificate],
        legacyIntermediates: [try receiptIntermediateCertificate])
    }
  }
}

extension IssuingAuthority {
  /// The key of an issuer, and its certificate in the context.
  func identity(of issuer: Issuer) throws(IssuingError) -> Identity {
    try identity(of: issuer, context?().ocspResponder)
  }

  private func identity(of issuer: Issuer, _ ocspResponder: URL?) throws(IssuingError) -> Identity {
    let stored = try storedIdentity(of: issuer)
    guard let parent = issuer.parent, let ocspResponder else { return stored }
    var profile = issuer.profile
    profile.ocspResponder = ocspResponder.absoluteString
    return try identities.certified(
      stored.key, named: issuer.rawValue, by: try identity(of: parent, ocspResponder), profile)
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
    if style == .xcode {
      let signer = try xcodeSigner(.xcodeJWS, at: date)
      return (signer.leaf, signer.header)
    }
    let signer = try signer("jws-leaf", .p256, of: .jwsIntermediate, at: date, chain) { year in
      CertificateProfile(
        commonName: "OpenStoreKit Emulator Signing \(year)", role: .leaf, period: .leaf(windowYear: year),
        markers: [CertificateMarker.receiptSigning])
    }
    return (signer.leaf, signer.header)
  }

  /// The leaf that signs receipts at `date`, and its chain, which begins with the leaf.
  func receiptSigner(
    at date: StoreDate, _ chain: SigningChain = .valid
  ) throws(IssuingError) -> (leaf: Identity, chain: [Identity]) {
    if style == .xcode {
      let signer = try xcodeSigner(.xcodeReceipt, at: date)
      return (signer.leaf, signer.certificates)
    }
    let signer = try signer("receipt-leaf", .rsa2048, of: .receiptIntermediate, at: date, chain) { year in
      CertificateProfile(
        commonName: "OpenStoreKit Emulator Receipt Signing \(year)", role: .leaf, period: .leaf(windowYear: year),
        markers: [CertificateMarker.receiptSigning], hasReceiptPolicy: true)
    }
    return (signer.leaf, signer.certificates)
  }

  private func xcodeSigner(_ issuer: Issuer, at date: StoreDate) throws(IssuingError) -> Signer {
    // Throws for a date outside of the certificate's years.
    _ = try CertificatePeriod.windowYear(of: date)
    let key = Signer.Key(
      issuer: issuer, year: CertificatePeriod.firstYear, isValidNow: true, wallYear: nil, ocspResponder: nil)
    if let signer = identities.signer(key) { return signer }
    return identities.add(Signer([try storedIdentity(of: issuer)], members: Signer.xcodeMembers), key)
  }

  /// The leaf whose stored name begins with `name`, and its chain.
  private func signer(
    _ name: String, _ kind: IssuingKey.Kind, of usualIssuer: Issuer, at date: StoreDate, _ chain: SigningChain,
    profile: (Int) -> CertificateProfile
  ) throws(IssuingError) -> Signer {
    let year = try chain.windowYear(at: date)
    // Read once, so that all certificates are of one context.
    let context = context?()
    let key = Signer.Key(
      issuer: chain.issuer(insteadOf: usualIssuer), year: year, isValidNow: chain.isValidNow,
      wallYear: context.map { CertificatePeriod.nearestWindowYear(of: $0.wallDate) },
      ocspResponder: context?.ocspResponder)
    if let signer = identities.signer(key) { return signer }
    let (leafName, profile) = ("\(name)-\(year)", profile(year))
    var leaf = try identities.identity(leafName, kind, issuer: try storedIdentity(of: usualIssuer)) { profile }
    let issuer = try identity(of: key.issuer, key.ocspResponder)
    if context != nil || key.issuer != usualIssuer {
      var changed = profile
      changed.ocspResponder = key.ocspResponder?.absoluteString
      if chain.isValidNow, let context { changed.period = profile.period.covering(context.wallDate) }
      leaf = try identities.certified(leaf.key, named: leafName, by: issuer, changed)
    }
    let root = try identity(of: key.issuer.parent ?? key.issuer, key.ocspResponder)
    return identities.add(Signer([leaf, issuer, root]), key)
  }

  func apiIdentityKey() throws(IssuingError) -> IssuingKey { try identities.key("api-key", .p256) }
}
