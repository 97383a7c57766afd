#if os(Linux)
  import Foundation

  /// Sends HTTP requests without TLS, each over its own socket.
  struct SocketTransport: HTTPSender {
    /// The timeout for the connection, and for each pause in the response.
    let timeoutSeconds: Double

    func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
      let exchange = SocketExchange(
        request: try Self.request(call), url: call.url, timeoutSeconds: timeoutSeconds, sink: sink,
        hasNoBody: call.method == "HEAD")
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
          // The exchange has its own thread, because it blocks the thread while it waits. A server may take half a
          // minute to answer.
          Thread.detachNewThread { continuation.resume(with: Result { try exchange.perform() }) }
        }
      } onCancel: {
        exchange.cancel()
      }
    }

    private static func request(_ call: HTTPCall) throws -> Data {
      let url = call.url
      guard url.host()?.isEmpty == false else { throw HTTPFailure.unreachable(reason: "its URL names no host") }
      let path = url.path(percentEncoded: true)
      let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
      var head = [
        "\(call.method) \(path.isEmpty ? "/" : path)\(query) HTTP/1.1",
        "Host: \(url.hostAndPort)",
      ]
      head += call.fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      if let body = call.body { head.append("Content-Length: \(body.count)") }
      head.append("Connection: close")
      // A line break in a value would let its author inject header fields.
      guard head.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
        throw HTTPFailure.unreachable(reason: "the request to \(url.origin) has a control character in its header")
      }
      return Data((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (call.body ?? Data())
    }
  }
#endif
