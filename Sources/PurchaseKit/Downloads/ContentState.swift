/// The state of a product's files on this device; see Documentation/downloads.md, "A product".
public enum ContentState: Hashable, Sendable {
  /// No files are downloaded, and none are requested.
  case none
  /// No download runs, although files are requested, or will be requested for a recorded purchase. The value is the
  /// reason: the last download failed, a stored file is missing or damaged, or the records cannot be read. Nil if there was
  /// no such error.
  case waiting(ContentError?)
  case downloading(DownloadProgress)
  /// The customer has paused the download, in this run of the app or an earlier one. It continues when the app calls
  /// ``ContentDownloads/download(_:attempts:)``.
  case paused(DownloadProgress)
  /// The files of this version can be opened.
  case current(version: Int64)
  /// The server does not deliver the product any more.
  case ended(reason: String)
}

/// The progress of a download, in bytes.
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
