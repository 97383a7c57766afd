import StoreModel

/// Thrown when something cannot be signed, or a key cannot be stored.
public enum IssuingError: DescribedError, Hashable, Sendable {
  /// The date is outside of the validity of the certificates, 2014 to 2063.
  case dateOutsideCertificates(StoreDate)
  /// No leaf of this kind (expired, or not yet valid) can be made for the date, because its validity would be outside
  /// 2014 to 2063.
  case noInvalidCertificate(StoreDate, SigningChain)
  /// The key directory, or a file in it, cannot be used.
  case keyDirectory(path: String, reason: String)
  /// A file in the key directory does not contain the expected key, or its certificate is from another authority.
  case damagedKeyFile(path: String, reason: String)
  /// The host is not a name or address that a TLS certificate can contain.
  case unusableHost(String)
  /// The cryptographic library has failed.
  case signing(reason: String)

  /// The problem, and what the operator can do.
  public var description: String {
    switch self {
    case .dateOutsideCertificates(let date):
      "nothing can be signed at \(date): certificates are made for 2014 to 2063; set the store's clock to those years"
    case .noInvalidCertificate(let date, let chain):
      "at \(date) there is no certificate that \(chain == .expired ? "has expired" : "is not valid yet"): "
        + "certificates are made for 2014 to 2063"
    case .keyDirectory(let path, let reason):
      "the key directory \(path) cannot be used: \(reason)"
    case .damagedKeyFile(let path, let reason):
      "the key file \(path) is damaged (\(reason)); restore it, or remove the whole key directory to begin with new keys"
    case .unusableHost(let host):
      "no certificate can be made for the host \"\(host)\": give DNS names or IP addresses"
    case .signing(let reason):
      "signing failed: \(reason)"
    }
  }
}
