import StoreModel

extension IssuingAuthority {
  /// The dates at which something can be signed: the years 2014 to 2063. The last second of 2063 is the last.
  public static let signableDates =
    StoreDate(CertificatePeriod.authority.first)...StoreDate(CertificatePeriod.authority.last)

  /// Makes the keys and certificates that sign transactions and receipts at `date`, unless they are there.
  ///
  /// A store calls it before it charges: what was charged must be signable.
  ///
  /// - Throws: ``IssuingError``, in particular for a date outside 2014 to 2063, or where a key cannot be kept.
  public func prepare(at date: StoreDate) throws(IssuingError) {
    _ = try jwsSigner(at: date)
    _ = try receiptSigner(at: date)
  }
}
