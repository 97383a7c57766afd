import Foundation
import Testing

/// The head of a response, and its body if it has a length.
struct PlainAnswer {
  /// 0 if the connection ended without a response.
  let status: Int
  let body: [UInt8]
}

/// Thrown if no complete answer came in time.
struct NoAnswer: Error, CustomStringConvertible {
  /// The beginning of the request's first line.
  let request: String

  var description: String { "no answer came to \(request)" }
}

/// One request over a socket. Its bytes are sent unchanged.
enum PlainConnection {
  /// The timeout of a response, longer than notifications may take to settle in these tests. It is not a limit that they measure.
  private static let longestMilliseconds: Int32 = 900_000

  static func exchange(_ request: [UInt8], port: Int) throws -> PlainAnswer {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    try #require(isConnected)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var (sent, received) = (0, [UInt8]())
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      // After an early refusal the rest is not sent.
      let events = sent < request.count ? POLLIN | POLLOUT : POLLIN
      var state = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      guard poll(&state, 1, longestMilliseconds) > 0 else {
        let line = request.prefix { $0 != UInt8(ascii: "\r") }
        throw NoAnswer(request: String(decoding: line.prefix(200), as: UTF8.self))
      }
      if state.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count <= 0 { return answer(received, isEnd: true) ?? PlainAnswer(status: 0, body: []) }
        received.append(contentsOf: buffer.prefix(count))
        if let answer = answer(received, isEnd: false) { return answer }
      } else if state.revents & Int16(POLLOUT) != 0 {
        let count = request[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count > 0 { sent += count } else if errno != EAGAIN { sent = request.count }
      }
    }
  }

  /// Nil until the head and the announced body are complete. A body without a length ends with the connection. A stream of
  /// events does not end, so it is answered by its head.
  private static func answer(_ bytes: [UInt8], isEnd: Bool) -> PlainAnswer? {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
      .flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) }
    let isChunked = lines.contains { $0.lowercased().hasPrefix("transfer-encoding:") }
    let isStream = lines.contains { $0.lowercased().hasPrefix("content-type: text/event-stream") }
    guard isEnd || isStream || bytes.count - end.upperBound >= length ?? (isChunked ? .max : 0) else { return nil }
    return PlainAnswer(status: status, body: Array(bytes[end.upperBound...]))
  }
}
