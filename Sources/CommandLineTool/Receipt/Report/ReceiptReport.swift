import SignedData
import StoreModel

/// All that is told about an input, before it is written as text or JSON.
struct ReceiptReport {
  let kind: ReceiptKind
  let verdict: ReceiptVerdict
  /// Nil if it could not be read.
  let contents: ReceiptContents?
  /// The device that was asked about.
  var device: DeviceIdentifier?
  /// Nil unless it was verified.
  var trust: ReceiptTrust?

  /// What the reader should keep in mind.
  var warnings: [String] {
    var warnings = trust?.warnings ?? []
    if kind == .notification, case .verified = verdict {
      warnings.append("the signed texts inside the notification were not verified; verify each by itself")
    }
    if kind == .legacyReceipt, case .verified = verdict, device == nil {
      warnings.append("a legacy receipt proves a purchase to whoever presents it: it is bound to no account")
    }
    return warnings
  }

  /// Whether it was issued to ``device``, by what it says itself; nil if no device was asked about.
  var isIssuedToDevice: Bool? {
    guard let device, let contents else { return nil }
    return contents.isIssued(for: device)
  }

  /// The certificates it carries that can be read.
  var certificates: [CertificateSummary] { contents?.certificates.compactMap(CertificateSummary.init) ?? [] }

  /// The fingerprint of the certificate that signed.
  var signer: SHA256Fingerprint? { contents?.signerCertificate.map { SHA256Fingerprint(of: $0) } }
}
