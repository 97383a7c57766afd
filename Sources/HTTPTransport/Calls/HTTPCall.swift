import Foundation

/// An HTTP request.
public struct HTTPCall: Hashable, Sendable {
  /// The method, such as `GET`.
  public var method: String
  public var url: URL
  /// The header fields. The transport sets `Host`, `Connection` and `Content-Length` itself.
  public var fields: [String: String]
  /// The body; nil for a request without one.
  public var body: Data?

  public init(_ method: String, _ url: URL, fields: [String: String] = [:], body: Data? = nil) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
  }
}

extension URL {
  /// Scheme, host and port, for messages. A path or a query can have the id of a transaction or of a customer, and messages reach
  /// logs.
  package var origin: String { "\(scheme ?? "http")://\(hostAndPort)" }

  /// Host and port, as in the header field `Host`.
  var hostAndPort: String {
    let host = host() ?? ""
    return "\(host.contains(":") ? "[\(host)]" : host)\(port.map { ":\($0)" } ?? "")"
  }
}
