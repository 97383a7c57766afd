/// Why a token, or the keys to check it with, are of no use.
public enum CustomerIdentityError: Error, Hashable, Sendable, CustomStringConvertible {
  case unusableKeys(String)
  case refused(String)

  public var description: String {
    switch self {
    case .unusableKeys(let reason): "The key set cannot be used: \(reason)."
    case .refused(let reason): "The token is refused: \(reason)."
    }
  }
}
