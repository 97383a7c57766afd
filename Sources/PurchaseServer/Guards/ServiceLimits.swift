/// What one server takes on at a time, and from one caller.
public struct ServiceLimits: Hashable, Sendable {
  /// Requests under way at once; further ones are answered 503. 1 to 100,000.
  public var requestsAtOnce = 1_000
  /// For each token, and each address without one, in the long run. More than 0.
  public var requestsPerSecond = 50.0
  /// For each of them, at once, after a pause. At least 1.
  public var burst = 200.0
  /// How long a connection may be silent, in seconds; 1 to 3,600.
  public var idleSeconds = 60
  /// How long a request may take to arrive and be answered, downloads and uploads aside, in seconds; 1 to 600.
  public var requestSeconds = 60
  /// The largest file that an operator may publish, in bytes.
  public var uploadLimitBytes: Int64 = 64 << 30

  public init() {}
}
