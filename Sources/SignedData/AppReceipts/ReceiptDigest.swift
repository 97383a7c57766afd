/// What a receipt's signature is made over.
public enum ReceiptDigest: String, Hashable, Codable, Sendable, CaseIterable {
  /// Receipts until 2023.
  case sha1 = "SHA-1"
  /// Receipts since 2023.
  case sha256 = "SHA-256"

  var identifier: ObjectIdentifierBytes { self == .sha1 ? .sha1 : .sha256 }
  var signatureIdentifier: ObjectIdentifierBytes { self == .sha1 ? .sha1WithRSA : .sha256WithRSA }
}
