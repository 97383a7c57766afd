import Foundation
import StoreModel

/// The validity of an authority's certificates. It follows from the calendar, not from the time when a certificate is
/// made, so that the same key directory works with any clock.
struct CertificatePeriod: Hashable {
  /// `first` and `last` are inclusive, in whole seconds.
  let first: Date
  let last: Date

  static let firstYear = 2014
  static let endYear = 2064
  static let windowYears = 2

  /// The validity of roots and intermediates: from 2014 to the end of 2063.
  static let authority = CertificatePeriod(first: start(ofYear: firstYear), last: end(beforeYear: endYear))

  /// The first year of the two-year period in which the leaf certificates for `date` are valid.
  static func windowYear(of date: StoreDate) throws(IssuingError) -> Int {
    guard let year = CivilTime(date)?.year, (firstYear..<endYear).contains(year) else {
      throw .dateOutsideCertificates(date)
    }
    return year - (year - firstYear) % windowYears
  }

  /// The validity of the leaf certificate whose period begins with `year`.
  static func leaf(windowYear year: Int) -> CertificatePeriod {
    CertificatePeriod(first: start(ofYear: year), last: end(beforeYear: min(year + windowYears, endYear)))
  }

  /// The first year of the two-year period that contains `date`, or that is nearest to it.
  static func nearestWindowYear(of date: StoreDate) -> Int {
    let dates = StoreDate(authority.first)...StoreDate(authority.last)
    return (try? windowYear(of: min(max(date, dates.lowerBound), dates.upperBound))) ?? firstYear
  }

  /// The period together with that of `date`, from a day before to a year after, so that verifiers with either clock accept
  /// the certificate. A date outside of the authority's years has the period of the nearest one.
  func covering(_ date: StoreDate) -> CertificatePeriod {
    let other = Self.leaf(windowYear: Self.nearestWindowYear(of: date))
    return CertificatePeriod(
      first: max(min(first, other.first).addingTimeInterval(-86_400), Self.authority.first),
      last: min(max(last, other.last).addingTimeInterval(366 * 86_400), Self.authority.last))
  }

  /// The validity of a TLS certificate made at `date`: 396 days, because browsers refuse more than 398. It begins one
  /// day before `date`, because clocks differ.
  static func tls(at date: StoreDate) throws(IssuingError) -> CertificatePeriod {
    _ = try windowYear(of: date)
    let second = Date(timeIntervalSince1970: date.date.timeIntervalSince1970.rounded(.down))
    return CertificatePeriod(
      first: max(second.addingTimeInterval(-86_400), authority.first),
      last: min(second.addingTimeInterval(395 * 86_400), authority.last))
  }

  private static func start(ofYear year: Int) -> Date {
    var time = CivilTime()
    time.year = year
    return time.date?.date ?? .distantPast
  }

  private static func end(beforeYear year: Int) -> Date { start(ofYear: year).addingTimeInterval(-1) }
}
