import StoreModel

/// Whether the leaf certificate of a signature is valid at the date of signing. Invalid leaves are for tests of
/// verifiers; all other parts of the signature are valid.
public enum LeafValidity: String, Hashable, Codable, Sendable, CaseIterable {
  case valid
  /// The certificate ended before the date.
  case expired
  /// The certificate begins after the date.
  case notYetValid

  /// The first year of the period of the leaf certificates for `date`.
  ///
  /// - Throws: ``IssuingError/dateOutsideCertificates(_:)``; ``IssuingError/noInvalidCertificate(_:_:)`` if the period
  ///   before or after it is outside 2014 to 2063.
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
