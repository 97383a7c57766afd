import StoreModel

/// Whether the leaf certificate of a signature is valid at the date of signing. Invalid leaves are for tests of
/// verifiers; all other parts of the signature are valid.
public enum LeafValidity: String, Hashable, Codable, Sendable, CaseIterable {
  case valid
  /// The certificate expired before the date of signing.
  case expired
  /// The certificate becomes valid after the date of signing.
  case notYetValid

  /// The first year in which the leaf that signs at `date` is valid. An expired leaf is from the period before the one
  /// that contains `date`, and a leaf that is not yet valid is from the period after it.
  ///
  /// - Throws: ``IssuingError/dateOutsideCertificates(_:)``; ``IssuingError/noInvalidCertificate(_:_:)`` if the period
  ///   of the leaf is outside 2014 to 2063.
  func windowYear(at date: StoreDate) throws(IssuingError) -> Int {
    let year = try CertificatePeriod.windowYear(of: date)
    let other =
      switch self {
      case .valid: year
      case .expired: year - CertificatePeriod.windowYears
      case .notYetValid: year + CertificatePeriod.windowYears
      }
    guard (CertificatePeriod.firstYear..<CertificatePeriod.endYear).contains(other) else {
      throw .noInvalidCertificate(date, self)
    }
    return other
  }
}
