import Foundation

/// A request over HTTP.
public struct HTTPCall: Hashable, Sendable {
  /// Such as `GET`.
  public var method: String
  public var url: URL
  /// `Host`, `Connection` and `Content-Length` are the transport's own.
  public var fields: [String: String]
  /// Nil for a request without one.
  public var body: Data?

  public init(_ method: String, _ url: URL, fields: [String: String] = [:], body: Data? = nil) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
  }
}
