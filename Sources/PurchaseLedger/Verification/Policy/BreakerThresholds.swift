/// The settings that decide when the circuit breaker of a store endpoint opens, and for how long.
public struct BreakerThresholds: Hashable, Sendable {
  /// The number of consecutive failures that open the breaker; 1 to 1 000.
  public var failures: Int
  /// How long the breaker stays open, in seconds; 1 to 3 600. Then one request is sent as a probe. If it succeeds, the
  /// breaker closes; if it fails, the breaker opens again.
  public var openSeconds: Int

  public init(failures: Int = 5, openSeconds: Int = 30) {
    self.failures = failures
    self.openSeconds = openSeconds
  }
}
