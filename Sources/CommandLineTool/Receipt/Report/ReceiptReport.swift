import SignedData
import StoreModel

/// The results of reading or verifying an input, to be printed as text or JSON.
struct ReceiptReport {
  let kind: ReceiptKind
  let verdict: ReceiptVerdict
  /// The contents of the input; nil if it could not be decoded.
  let contents: ReceiptContents?
  /// The device given by `--device`.
  var device: DeviceIdentifier?
  /// The certificates that the verification trusted, even if it failed. Nil if the input was only read or could not be
  /// decoded.
  var trust: ReceiptTrust?

  /// Warnings about the limits of the verification.
  var warnings: [String] {
    var warnings = trust?.warnings ?? []
    if kind == .notification, case .verified = verdict {
      warnings.append("the signed texts inside the notification were not verified; verify each by itself")
    }
    if kind == .legacyReceipt, case .verified = verdict, device == nil {
      warnings.append("a legacy receipt is bound to no account: every holder of a copy can present it")
    }
    return warnings
  }

  /// Whether the contents were issued to ``device``, provided that they are genuine. Nil if there is no device or no
  /// contents.
  var isIssuedToDevice: Bool? {
    guard let device, let contents else { return nil }
    return contents.isIssued(for: device)
  }

  /// The certificates of the input that can be decoded.
  var certificates: [CertificateSummary] { contents?.certificates.compactMap(CertificateSummary.init) ?? [] }

  /// The fingerprint of the signer's certificate.
  var signer: SHA256Fingerprint? { contents?.signerCertificate.map { SHA256Fingerprint(of: $0) } }
}
