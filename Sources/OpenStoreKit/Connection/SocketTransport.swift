import Foundation
import StoreModel

/// HTTP without TLS, over a socket of its own for each request.
///
/// Not URLSession: on Linux, where connections begin and end quickly, it now and then sends a request's head without its body,
/// spins until its timeout, and so keeps the app from its store for a minute.
struct SocketTransport: HTTPTransport {
  /// How long to wait for the connection, and for each sign of life on it.
  let timeoutSeconds: Double

  func post(_ json: Data, to url: URL) async throws -> HTTPReply {
    let exchange = SocketExchange(request: try Self.request(json, to: url), url: url, timeoutSeconds: timeoutSeconds)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // A thread of its own, because waiting blocks it; the store may take half a minute to answer.
        Thread.detachNewThread { continuation.resume(with: Result { try exchange.perform() }) }
      }
    } onCancel: {
      exchange.cancel()
    }
  }

  private static func request(_ json: Data, to url: URL) throws -> Data {
    guard let host = url.host(), !host.isEmpty else {
      throw StoreConnectionFailure.unreachable(reason: "\(url) names no host")
    }
    let name = host.contains(":") ? "[\(host)]" : host
    let path = url.path(percentEncoded: true)
    let head = [
      "POST \(path.isEmpty ? "/" : path) HTTP/1.1", "Host: \(name)\(url.port.map { ":\($0)" } ?? "")",
      "Content-Type: application/json", "Content-Length: \(json.count)", "Connection: close",
    ]
    return Data((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + json
  }
}
