/// The address, limits and other settings of a ``PurchaseService``.
public struct PurchaseServiceConfiguration: Sendable {
  /// The host name or address to listen on.
  public var host: String
  /// The port to listen on; 0 for any free port.
  public var port: Int
  /// The port of a separate listener that serves only `/health`, `/ready` and `/metrics`; 0 for any free port, nil for no such
  /// listener.
  public var healthPort: Int?
  /// The version of the program, which operators see; nil if it has none.
  public var version: String?
  /// The reverse proxies whose `X-Forwarded-For` is trusted.
  public var trustedProxies: [NetworkRange] = []
  public var limits: ServiceLimits
  public var downloads: DownloadLimits
  /// Whether webhooks may lead to this machine, also without TLS. For tests, and for a receiver beside the server: whoever creates
  /// webhooks can then reach every port of this machine.
  public var allowsLoopbackWebhooks = false
  /// The maximum size of a file that is sent inline in a response, in bytes.
  public var inlineLimitBytes: Int64

  public init(
    host: String = "127.0.0.1", port: Int = 8090, limits: ServiceLimits = ServiceLimits(),
    downloads: DownloadLimits = DownloadLimits(), inlineLimitBytes: Int64 = 65_536
  ) {
    self.host = host
    self.port = port
    self.limits = limits
    self.downloads = downloads
    self.inlineLimitBytes = inlineLimitBytes
  }
}

/// The limits of a server, in total and for each caller.
public struct ServiceLimits: Hashable, Sendable {
  /// The maximum number of connections. Further ones wait to be accepted. 1 to 1,000,000.
  public var connectionsAtOnce = 5_000
  /// The maximum number of connections of one address or, for IPv6, of one /64 network. Further ones are closed before any
  /// byte is read. Trusted proxies have no such limit. 1 to 1,000,000.
  public var connectionsPerAddress = 500
  /// The maximum number of requests in progress, without those whose body has not arrived. Further ones get status 503. 1 to
  /// 100,000.
  ///
  /// One caller (see ``requestsPerSecond``) may have a tenth, or 8 if that is more, bodies that have not arrived included.
  /// Further ones get status 429.
  public var requestsAtOnce = 1_000
  /// The maximum size of all request bodies in memory, in bytes. Uploads of content do not count. Larger bodies get status 503.
  /// 16 MiB to 64 GiB.
  public var bodyBytesAtOnce = 64 << 20
  /// The requests per second in the long run: of each customer and operator with a verified token, and of all other callers of
  /// one address together. More than 0.
  public var requestsPerSecond = 50.0
  /// The maximum number of requests that one of these callers may send at once, after a pause. At least 1.
  public var burst = 200.0
  /// The number of installations that one address may register per hour. After a pause, the address may register this
  /// number at once. Further ones get status 429. The limit is high, because many customers may share an address. 1 to
  /// 1,000,000.
  public var installationsPerHour = 1_000.0
  /// The number of requests to the store per minute for the proofs of one customer. After a pause, this number may be
  /// sent at once. The limit for all customers of one address together is four times as high; it does not apply to
  /// proofs with a valid signature. Further requests get status 429. 0.1 to 1,000,000.
  public var questionsPerMinute = 30.0
  /// The maximum time that a connection may be silent, and that the head of a request may take, in seconds; 1 to 3,600.
  public var idleSeconds = 60
  /// The maximum duration of a request, from its head to its response, in seconds; 1 to 600. It excludes downloads and uploads.
  public var requestSeconds = 60
  /// The maximum size of all header fields of a request, in bytes. Larger ones get status 431. 1,024 to 65,536.
  public var headerLimitBytes = 32_768
  /// The maximum size of a file that an operator may publish, in bytes.
  public var uploadLimitBytes: Int64 = 64 << 30
  /// How long a server that is asked to stop still accepts requests, in seconds; 0 to 300. Meanwhile `/ready` returns 503, and
  /// the load balancer can stop sending requests.
  public var drainSeconds = 0

  public init() {}

  /// The timeout of one request to the store, in seconds.
  var answerTimeoutSeconds: Int { min(10, max(1, requestSeconds / 4)) }
  /// The timeout of a verification, in seconds. A request to the store that was sent before may take ``answerTimeoutSeconds``
  /// more. So a verification ends before its request does.
  var verificationSeconds: Int { min(25, max(1, requestSeconds - 2 * answerTimeoutSeconds)) }
  /// The time after the beginning of a request until which a verification can begin that ends before the request does, in
  /// seconds.
  var lastVerificationSeconds: Int { max(1, requestSeconds - verificationSeconds - answerTimeoutSeconds) }
}
