import StoreModel

/// The hash algorithm of a receipt's signature.
public enum ReceiptDigest: String, Hashable, Codable, Sendable, CaseIterable {
  /// Used in receipts until 2023.
  case sha1 = "SHA-1"
  /// Used in receipts since 2023.
  case sha256 = "SHA-256"

  /// A receipt with SHA-1 and this creation date, or a later one, is not from the App Store. The App Store has used
  /// SHA-256 since 2023-08-16 (TN3138). This date is the end of the next day, to allow for time zones.
  static let endOfSHA1 = StoreDate(millisecondsSince1970: 1_692_316_800_000)

  var identifier: ObjectIdentifierBytes { self == .sha1 ? .sha1 : .sha256 }
  var signatureIdentifier: ObjectIdentifierBytes { self == .sha1 ? .sha1WithRSA : .sha256WithRSA }
}
