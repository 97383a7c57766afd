/// The extensions by which Apple marks the purpose of its certificates. Only their presence is checked.
enum CertificateMarker {
  /// Marks a leaf certificate that signs receipts and JWS: 1.2.840.113635.100.6.11.1.
  static let receiptSigning = ObjectIdentifierBytes(1, 2, 840, 113635, 100, 6, 11, 1)
  /// Marks the Worldwide Developer Relations intermediate: 1.2.840.113635.100.6.2.1.
  static let developerRelations = ObjectIdentifierBytes(1, 2, 840, 113635, 100, 6, 2, 1)
  /// Marks the iTunes Store intermediate of legacy receipts of version 2: 1.2.840.113635.100.6.2.2.
  static let iTunesStore = ObjectIdentifierBytes(1, 2, 840, 113635, 100, 6, 2, 2)
}
