/// How a product's files are doing on this device: Documentation/downloads.md, "A product".
public enum ContentState: Hashable, Sendable {
  /// Nothing is wanted and nothing is here.
  case none
  /// Something is due, and nobody fetches it now. With what went wrong, if something did.
  case waiting(ContentError?)
  case downloading(DownloadProgress)
  /// Its files can be opened.
  case current(version: Int64)
  /// The server does not deliver it any more.
  case ended(reason: String)
}

/// How far a download is.
public struct DownloadProgress: Hashable, Sendable {
  public let receivedBytes: Int64
  public let totalBytes: Int64

  public init(receivedBytes: Int64, totalBytes: Int64) {
    self.receivedBytes = receivedBytes
    self.totalBytes = totalBytes
  }

  /// 0 to 100, rounded down.
  public var percent: Int {
    totalBytes > 0 ? Int((Double(receivedBytes) / Double(totalBytes) * 100).rounded(.down)) : 100
  }
}
