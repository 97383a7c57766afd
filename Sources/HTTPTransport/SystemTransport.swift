import Foundation

/// Sends HTTP requests. On Linux, requests without TLS are sent over sockets; all others are sent by URLSession, or by the
/// transport that the program passes.
///
/// On Linux, URLSession is unreliable when connections begin and end quickly. It sometimes sends a request's header
/// without its body, and then uses a full processor core until its timeout, a minute by default.
public struct SystemTransport: HTTPSender {
  private let secure: any HTTPSender
  private let timeoutSeconds: Double

  /// - Parameter timeoutSeconds: the timeout for the connection, and for each pause in the response.
  public init(timeoutSeconds: Double = 60) {
    #if URLSession
      self.init(timeoutSeconds: timeoutSeconds, secure: URLSessionTransport(timeoutSeconds: timeoutSeconds))
    #else
      self.init(timeoutSeconds: timeoutSeconds, secure: NoTransport())
    #endif
  }

  /// - Parameters:
  ///   - timeoutSeconds: the timeout for the connection, and for each pause in the response, of requests without TLS.
  ///   - secure: sends the requests with TLS.
  public init(timeoutSeconds: Double = 60, secure: any HTTPSender) {
    self.timeoutSeconds = timeoutSeconds
    self.secure = secure
  }

  public func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    #if os(Linux)
      if call.url.scheme?.lowercased() == "http" {
        return try await SocketTransport(timeoutSeconds: timeoutSeconds).send(call, to: sink)
      }
    #endif
    try await secure.send(call, to: sink)
  }
}

#if !URLSession
  /// Refuses all requests, in a build without the package's trait `URLSession`.
  private struct NoTransport: HTTPSender {
    func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
      throw HTTPFailure.unreachable(
        reason: "\(call.url.origin): OpenStoreKit was built without its trait URLSession. Pass a transport for https.")
    }
  }
#endif
