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
