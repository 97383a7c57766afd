/// Where and how a ``PurchaseService`` listens.
public struct PurchaseServiceConfiguration: Sendable {
  /// A host name or address.
  public var host: String
  /// 0 for a free one.
  public var port: Int
  /// Where only `/health`, `/ready` and `/metrics` are answered, whatever the other listener has to do; 0 for a free port,
  /// nil for no such listener.
  public var healthPort: Int?
  /// The reverse proxies whose `X-Forwarded-For` is believed.
  public var trustedProxies: [NetworkRange] = []
  public var limits: ServiceLimits
  public var downloads: DownloadLimits
  /// The largest file that is put into an answer, in bytes.
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
