import StoreModel

/// Why a token is no link that opens anything.
public enum DownloadLinkRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is no token of any key.
  case malformed
  /// No key that is in use made it.
  case forged
  /// It was good until this instant.
  case expired(StoreDate)

  public var description: String {
    switch self {
    case .malformed: "This is no download link. Check that it was copied as a whole."
    case .forged: "This download link was not made here, or so long ago that its key is no longer in use."
    case .expired(let date): "This download link was good until \(date). Redeem the purchase again for a new one."
    }
  }
}
