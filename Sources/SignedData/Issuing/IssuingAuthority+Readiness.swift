import StoreModel

extension IssuingAuthority {
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
