import StoreModel

extension IssuingAuthority {
  /// The dates at which the authority can sign: the years 2014 to 2063, up to the last second of 2063.
  public static let signableDates =
    StoreDate(CertificatePeriod.authority.first)...StoreDate(CertificatePeriod.authority.last)

  /// Makes the keys and certificates for signing transactions and receipts at `date`, unless they exist.
  ///
  /// A store must be able to sign each transaction that it charges. So it calls this function before the charge.
  ///
  /// - Throws: ``IssuingError``, in particular for a date outside 2014 to 2063, or if a key cannot be stored.
  public func prepare(at date: StoreDate) throws(IssuingError) {
    _ = try jwsSigner(at: date)
    _ = try receiptSigner(at: date)
  }
}
