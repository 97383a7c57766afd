/// What one server takes on at a time, and from one caller.
public struct ServiceLimits: Hashable, Sendable {
  /// Connections at once; further ones wait to be accepted. 1 to 1,000,000.
  public var connectionsAtOnce = 5_000
  /// Connections of one address at once, of IPv6 of a network of 64 bits; further ones are closed before anything is read.
  /// Trusted proxies have no such limit. 1 to 1,000,000.
  public var connectionsPerAddress = 500
  /// Requests under way at once; further ones are answered 503. 1 to 100,000.
  public var requestsAtOnce = 1_000
  /// Of the bodies of all requests under way, uploads of content aside; requests with larger ones are answered 503.
  /// 16 MiB to 64 GiB.
  public var bodyBytesAtOnce = 64 << 20
  /// For each customer and operator whose token is known, and for all other callers of one address together, in the long
  /// run. More than 0.
  public var requestsPerSecond = 50.0
  /// For each of them, at once, after a pause. At least 1.
  public var burst = 200.0
  /// New installations that one address may register, in the long run, and as many at once after a pause. Further ones are
  /// answered 429. Generous, because many customers may share an address. 1 to 1,000,000.
  public var installationsPerHour = 1_000.0
  /// How often the store may have to be asked about proofs that one customer sends, in the long run, and as many at once after
  /// a pause; of one address, four times that, except for proofs whose signature is good. Further ones are answered 429. 0.1 to 1,000,000.
  public var questionsPerMinute = 30.0
  /// How long a connection may be silent, and how long the head of a request may take, in seconds; 1 to 3,600.
  public var idleSeconds = 60
  /// How long a request may take to arrive and be answered, downloads and uploads aside, in seconds; 1 to 600.
  public var requestSeconds = 60
  /// All header fields of a request, in bytes; above it, 431. 1,024 to 65,536.
  public var headerLimitBytes = 32_768
  /// The largest file that an operator may publish, in bytes.
  public var uploadLimitBytes: Int64 = 64 << 30
  /// How long a server that was told to stop goes on as before, but for `/ready`, in seconds: until the load balancer has
  /// noticed. 0 to 300.
  public var drainSeconds = 0

  public init() {}
}
