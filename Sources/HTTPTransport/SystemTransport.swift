import Foundation

/// Sends HTTP requests. On Linux, requests without TLS are sent over sockets; all others are sent by URLSession.
///
/// On Linux, URLSession is unreliable when connections begin and end quickly. It sometimes sends a request's header
/// without its body, and then uses a full processor core until its timeout, a minute by default.
public struct SystemTransport: HTTPSender {
  private let session: URLSessionTransport
  private let timeoutSeconds: Double

  /// - Parameter timeoutSeconds: the timeout for the connection, and for each pause in the response.
  public init(timeoutSeconds: Double = 60) {
    self.timeoutSeconds = timeoutSeconds
    session = URLSessionTransport(timeoutSeconds: timeoutSeconds)
  }

  public func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    #if os(Linux)
      if call.url.scheme?.lowercased() == "http" {
        return try await SocketTransport(timeoutSeconds: timeoutSeconds).send(call, to: sink)
      }
    #endif
    try await session.send(call, to: sink)
  }
}
