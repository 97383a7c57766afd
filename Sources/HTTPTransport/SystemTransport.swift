import Foundation

/// HTTP as it is best spoken on this system: without TLS over a socket on Linux, otherwise by URLSession.
///
/// Not URLSession for both: on Linux, where connections begin and end quickly, it now and then sends a request's head without
/// its body, spins until its timeout, and so keeps whoever asked waiting for a minute.
public struct SystemTransport: HTTPSender {
  private let session: URLSessionTransport
  private let timeoutSeconds: Double

  /// - Parameter timeoutSeconds: how long to wait for the connection, and for each sign of life on it.
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
