/// How much, and how long, a download may hold on to the server.
public struct DownloadLimits: Hashable, Sendable {
  /// After so much was sent it is asked again whether the delivery still lives.
  public var recheckBytes: Int64
  /// A reader who takes nothing for this long (up to twice as long, before it is noticed) is cut off. It resumes where it was.
  public var idleMilliseconds: Int64
  /// No response goes on for longer, however steadily it is read.
  public var longestMilliseconds: Int64
  /// How long downloads may go on when the server is to stop.
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
