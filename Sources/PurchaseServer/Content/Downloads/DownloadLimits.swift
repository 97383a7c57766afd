/// The limits of a download.
public struct DownloadLimits: Hashable, Sendable {
  /// The number of bytes after which the server checks again whether the delivery has ended.
  public var recheckBytes: Int64
  /// The time without progress after which a download is ended. The progress is checked at intervals of this length,
  /// so a stalled download may continue for up to twice this time. The client can resume the download.
  public var idleMilliseconds: Int64
  /// The maximum duration of a response.
  public var longestMilliseconds: Int64
  /// How long running downloads may continue after the server was asked to stop.
  public var drainMilliseconds: Int64

  public init(
    recheckBytes: Int64 = 8 * 1024 * 1024, idleMilliseconds: Int64 = 120_000,
    longestMilliseconds: Int64 = 12 * 3_600_000, drainMilliseconds: Int64 = 10_000
  ) {
    self.recheckBytes = recheckBytes
    self.idleMilliseconds = idleMilliseconds
    self.longestMilliseconds = longestMilliseconds
    self.drainMilliseconds = drainMilliseconds
  }
}
