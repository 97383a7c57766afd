import SignedData

/// What an input says, read but not believed.
enum ReceiptContents {
  case appReceipt(UnverifiedAppReceipt)
  case legacyReceipt(UnverifiedLegacyReceipt)
  case payload(PayloadContents)

  /// - Throws: ``VerificationFailure`` with the fault `structure`.
  init(_ input: ReceiptInput) throws(VerificationFailure) {
    switch input {
    case .appReceipt(let data): self = .appReceipt(try UnverifiedAppReceipt(data))
    case .legacyReceipt(let data): self = .legacyReceipt(try UnverifiedLegacyReceipt(data))
    case .jws(let text): self = .payload(PayloadContents(try UnverifiedJWS(text)))
    }
  }

  var kind: ReceiptKind {
    switch self {
    case .appReceipt: .appReceipt
    case .legacyReceipt: .legacyReceipt
    case .payload(let payload): payload.kind
    }
  }

  /// In DER, in the order they are carried.
  var certificates: [[UInt8]] {
    switch self {
    case .appReceipt(let receipt): receipt.certificates
    case .legacyReceipt(let receipt): [receipt.certificate]
    case .payload(let payload): payload.jws.contents.header.certificates
    }
  }

  /// The one that signed, DER.
  var signerCertificate: [UInt8]? {
    switch self {
    case .appReceipt(let receipt): receipt.signerCertificate
    case .legacyReceipt(let receipt): receipt.certificate
    case .payload(let payload): payload.jws.contents.header.certificates.first
    }
  }

  var signatureAlgorithm: String {
    switch self {
    case .appReceipt(let receipt): "RSA-\(receipt.signature.count * 8) with \(receipt.digest.rawValue)"
    case .legacyReceipt(let receipt):
      "RSA-\(receipt.signature.count * 8) with SHA-1 (legacy version \(receipt.signatureVersion))"
    case .payload(let payload): payload.jws.contents.header.algorithm
    }
  }

  /// Whether it says it was issued to `device`.
  func isIssued(for device: DeviceIdentifier) -> Bool {
    switch self {
    case .appReceipt(let receipt): receipt.receipt.isIssued(for: device)
    case .legacyReceipt(let receipt): receipt.receipt.isIssued(for: device)
    case .payload(let payload): payload.isIssued(for: device)
    }
  }
}
