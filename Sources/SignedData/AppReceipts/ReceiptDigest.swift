import StoreModel

/// What a receipt's signature is made over.
public enum ReceiptDigest: String, Hashable, Codable, Sendable, CaseIterable {
  /// Receipts until 2023.
  case sha1 = "SHA-1"
  /// Receipts since 2023.
  case sha256 = "SHA-256"

  /// From when on a receipt with SHA-1 is not the App Store's. It signs with SHA-256 since 2023-08-16 (TN3138); the day after
  /// allows for time zones.
  static let endOfSHA1 = StoreDate(millisecondsSince1970: 1_692_316_800_000)

  var identifier: ObjectIdentifierBytes { self == .sha1 ? .sha1 : .sha256 }
  var signatureIdentifier: ObjectIdentifierBytes { self == .sha1 ? .sha1WithRSA : .sha256WithRSA }
}
