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
