import StoreModel

/// Why something could not be signed, or a key not be kept.
public enum IssuingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The store's clock is outside the years its certificates are made for: 2014 to 2063.
  case dateOutsideCertificates(StoreDate)
  /// The key directory, or a file in it, cannot be used.
  case keyDirectory(path: String, reason: String)
  /// A file in the key directory does not hold what its name says.
  case damagedKeyFile(path: String, reason: String)
  /// A name or address that a TLS certificate cannot be made for.
  case unusableHost(String)
  /// The cryptographic library refused.
  case signing(reason: String)

  /// What went wrong and what to do about it.
  public var description: String {
    switch self {
    case .dateOutsideCertificates(let date):
      "nothing can be signed at \(date): certificates are made for 2014 to 2063; set the store's clock to those years"
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
