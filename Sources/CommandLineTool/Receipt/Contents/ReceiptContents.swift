import SignedData

/// The contents of an input, decoded but not verified.
enum ReceiptContents {
  case appReceipt(UnverifiedAppReceipt)
  case legacyReceipt(UnverifiedLegacyReceipt)
  case payload(PayloadContents)

  /// Decodes an input.
  ///
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

  /// The certificates that the input contains, in DER and in the order of the input.
  var certificates: [[UInt8]] {
    switch self {
    case .appReceipt(let receipt): receipt.certificates
    case .legacyReceipt(let receipt): [receipt.certificate]
    case .payload(let payload): payload.jws.contents.header.certificates
    }
  }

  /// The certificate of the signer, in DER.
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

  /// Whether the contents were issued to `device`, provided that they are genuine.
  func isIssued(for device: DeviceIdentifier) -> Bool {
    switch self {
    case .appReceipt(let receipt): receipt.receipt.isIssued(for: device)
    case .legacyReceipt(let receipt): receipt.receipt.isIssued(for: device)
    case .payload(let payload): payload.isIssued(for: device)
    }
  }
}
