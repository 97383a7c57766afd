import StoreModel

/// Thrown when a token is not a valid download link.
public enum DownloadLinkRefusal: DescribedError, Hashable, Sendable {
  /// The token does not have the format of a link.
  case malformed
  /// The token was not signed by any of the current keys.
  case forged
  /// The link expired at this date.
  case expired(StoreDate)

  public var description: String {
    switch self {
    case .malformed: "This is no download link. Check that it was copied as a whole."
    case .forged: "This download link was not made here, or so long ago that its key is no longer in use."
    case .expired(let date): "This download link was good until \(date). Redeem the purchase again for a new one."
    }
  }
}
