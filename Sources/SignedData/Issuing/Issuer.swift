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
