import StoreModel

/// A value whose signature, chain, markers and dates were checked. Only ``SignedDataVerifier`` makes such values.
///
/// A function with a `Verified` parameter cannot be called with an unverified value.
public struct Verified<Value: Sendable>: Sendable {
  public let value: Value
  /// The fingerprint of the root certificate, or of the single certificate that is itself trusted.
  public let anchor: SHA256Fingerprint
  /// The date at which the certificates were checked: the data's date of signing, unless the caller chose another.
  public let checkedDate: StoreDate
  /// Leaf, intermediate and root in DER, for a ``CertificateStatusCheck``; a single certificate that is itself trusted;
  /// empty for a legacy receipt, which contains no chain.
  public let certificates: [[UInt8]]

  init(value: Value, chain: VerifiedChain, checkedDate: StoreDate) {
    self.value = value
    self.anchor = chain.anchor
    self.checkedDate = checkedDate
    self.certificates = chain.certificates
  }
}

extension Verified: Equatable where Value: Equatable {}
extension Verified: Hashable where Value: Hashable {}
