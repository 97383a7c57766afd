import StoreModel

/// Thrown when a token, or the keys to verify tokens, cannot be used.
public enum CustomerIdentityError: DescribedError, Hashable, Sendable {
  case unusableKeys(String)
  case unusableIssuer
  case refused(String)

  public var description: String {
    switch self {
    case .unusableKeys(let reason): "The key set cannot be used: \(reason)."
    case .unusableIssuer: "The issuer cannot be used: it is a name or an address without spaces."
    case .refused(let reason): "The token is refused: \(reason)."
    }
  }
}
