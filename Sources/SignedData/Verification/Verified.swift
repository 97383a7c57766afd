import StoreModel

/// A value whose signature, chain, markers and dates were checked. Only ``SignedDataVerifier`` makes one.
///
/// A function that asks for a `Verified` value cannot be given one that was merely read.
public struct Verified<Value: Sendable>: Sendable {
  /// What was verified.
  public let value: Value
  /// What it was traced back to: the root certificate; for data by an explicitly trusted certificate, that certificate.
  public let anchor: SHA256Fingerprint
  /// The instant the certificates were checked at: the data's own date of signing, unless the caller named another.
  public let checkedDate: StoreDate

  init(value: Value, anchor: SHA256Fingerprint, checkedDate: StoreDate) {
    self.value = value
    self.anchor = anchor
    self.checkedDate = checkedDate
  }
}

extension Verified: Equatable where Value: Equatable {}
extension Verified: Hashable where Value: Hashable {}
