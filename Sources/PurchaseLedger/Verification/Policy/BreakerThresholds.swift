/// When an endpoint of the store that keeps failing is left alone, and for how long.
public struct BreakerThresholds: Hashable, Sendable {
  /// After how many failures in a row; 1 to 1 000.
  public var failures: Int
  /// For how long, in seconds; 1 to 3 600. Then one question is let through, and its fate decides.
  public var openSeconds: Int

  public init(failures: Int = 5, openSeconds: Int = 30) {
    self.failures = failures
    self.openSeconds = openSeconds
  }
}
