/// An endpoint of the App Store Server API: its name, method and path, and what a client and a store must know about it.
public struct ServerAPIEndpoint: Hashable, Sendable {
  public enum Method: String, Hashable, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
  }

  /// The name, such as `getTransactionInfo`: Apple's title of the endpoint.
  public let name: String
  public let method: Method
  /// The path below the base URL, with parameters in braces, such as `inApps/v1/transactions/{transactionId}`.
  public let path: String
  /// The HTTP status of a success.
  public let successStatus: Int
  /// Whether sending a call twice has the same effect as sending it once. A client repeats only such calls when it
  /// does not know whether the first one arrived.
  public let isIdempotent: Bool
  /// Apple's limit in requests per second and app, in production. In the sandbox it is a tenth. Nil if none is published.
  public let requestsPerSecond: Int?

  /// Whether the path has a transaction's id. The environments have different ids, so such a call is about one environment only.
  var isAboutTransaction: Bool { path.contains("ransactionId}") }

  init(
    _ name: String, _ method: Method, _ path: String, successStatus: Int = 200, isIdempotent: Bool = true,
    requestsPerSecond: Int?
  ) {
    self.name = name
    self.method = method
    self.path = path
    self.successStatus = successStatus
    self.isIdempotent = isIdempotent
    self.requestsPerSecond = requestsPerSecond
  }
}
