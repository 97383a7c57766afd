/// The extensions by which Apple tells what its certificates are for: what matters is that they are there.
enum CertificateMarker {
  /// A leaf that signs receipts and JWS: 1.2.840.113635.100.6.11.1.
  static let receiptSigning = ObjectIdentifierBytes(1, 2, 840, 113635, 100, 6, 11, 1)
  /// The Worldwide Developer Relations intermediate: 1.2.840.113635.100.6.2.1.
  static let developerRelations = ObjectIdentifierBytes(1, 2, 840, 113635, 100, 6, 2, 1)
  /// The iTunes Store intermediate, of version 2 legacy receipts: 1.2.840.113635.100.6.2.2.
  static let iTunesStore = ObjectIdentifierBytes(1, 2, 840, 113635, 100, 6, 2, 2)
}
