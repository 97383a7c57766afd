/// The address, limits and other settings of a ``PurchaseService``.
public struct PurchaseServiceConfiguration: Sendable {
  /// The host name or address to listen on.
  public var host: String
  /// The port to listen on; 0 for any free port.
  public var port: Int
  /// The port of a separate listener that serves only `/health`, `/ready` and `/metrics`; 0 for any free port, nil for no such
  /// listener.
  public var healthPort: Int?
  /// The reverse proxies whose `X-Forwarded-For` is trusted.
  public var trustedProxies: [NetworkRange] = []
  public var limits: ServiceLimits
  public var downloads: DownloadLimits
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
