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
  /// The certificates that sign for Xcode's environment directly: see ``IssuingAuthority/Style``.
  case xcodeJWS = "xcode-jws"
  case xcodeReceipt = "xcode-receipt"

  /// The issuer of its certificate; nil for a root.
  var parent: Issuer? {
    switch self {
    case .jwsRoot, .receiptRoot, .tlsRoot, .xcodeJWS, .xcodeReceipt: nil
    case .jwsIntermediate, .rotatedJWSIntermediate: .jwsRoot
    case .receiptIntermediate, .rotatedReceiptIntermediate: .receiptRoot
    }
  }

  var keyKind: IssuingKey.Kind {
    switch self {
    case .jwsRoot, .jwsIntermediate, .rotatedJWSIntermediate: .p384
    case .receiptRoot, .receiptIntermediate, .rotatedReceiptIntermediate, .xcodeReceipt: .rsa2048
    case .tlsRoot, .xcodeJWS: .p256
    }
  }

  var profile: CertificateProfile {
    if let name = xcodeName { return CertificateProfile(commonName: name, role: .selfSigned, period: .authority) }
    return CertificateProfile(
      commonName: "OpenStoreKit Emulator \(commonNameEnd)", role: parent == nil ? .root : .intermediate,
      period: .authority, markers: parent == nil ? [] : [CertificateMarker.developerRelations])
  }

  /// The name of a certificate that signs directly; nil for others.
  private var xcodeName: String? {
    switch self {
    case .xcodeJWS: "StoreKit Testing in OpenStoreKit"
    case .xcodeReceipt: "StoreKit Testing in OpenStoreKit, Receipts"
    default: nil
    }
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
    case .xcodeJWS, .xcodeReceipt: ""
    }
  }
}
