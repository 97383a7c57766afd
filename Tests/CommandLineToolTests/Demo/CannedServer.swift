import Foundation

/// A server that sends the next canned response on each connection, and closes it. It stops listening after the last one.
final class CannedServer: Sendable {
  let address: URL
  /// The received head of each request.
  let requests: AsyncStream<String>

  init(_ answers: [String]) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var socketAddress = sockaddr_in()
    socketAddress.sin_family = sa_family_t(AF_INET)
    socketAddress.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &socketAddress) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 10) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard listener >= 0, status else { throw POSIXError(.EADDRNOTAVAIL) }
    address = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: socketAddress.sin_port))")!
    let (requests, request) = AsyncStream.makeStream(of: String.self)
    self.requests = requests
    // Accepting and reading block.
    Thread.detachNewThread {
      for answer in answers {
        let connection = FileHandle(fileDescriptor: accept(listener, nil, nil), closeOnDealloc: true)
        var head = ""
        while !head.contains("\r\n\r\n") {
          let more = connection.availableData
          if more.isEmpty { break }
          head += String(decoding: more, as: UTF8.self)
        }
        request.yield(head)
        // The client may have closed the connection.
        try? connection.write(contentsOf: Data(answer.utf8))
      }
      close(listener)
      request.finish()
    }
  }

  /// The next received request.
  func nextRequest() async -> String? { await requests.first { _ in true } }

  /// An event stream that ends after `text`.
  static func stream(_ text: String) -> String {
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n\(text)"
  }

  /// An event stream that ends within a chunk, as if the program was killed.
  static let brokenStream =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ndata"

  static func answer(_ status: String, _ body: String) -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
  }
}
