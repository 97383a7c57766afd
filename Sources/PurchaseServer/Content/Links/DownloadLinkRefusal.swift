import StoreModel

/// Thrown when a token is not a valid download link.
public enum DownloadLinkRefusal: DescribedError, Hashable, Sendable {
  /// The token does not have the format of a link.
  case malformed
  /// The token was not signed by any of the current keys.
  case forged
  /// The link expired at this date; or the date is so far ahead that the link was signed by a clock that was ahead.
  case expired(StoreDate)

  public var description: String {
    switch self {
    case .malformed: "This is no download link. Check that it was copied as a whole."
    case .forged: "This download link was not made here, or so long ago that its key is no longer in use."
    case .expired(let date): "This download link is not valid now (its end is \(date)). Redeem the purchase again."
    }
  }
}
