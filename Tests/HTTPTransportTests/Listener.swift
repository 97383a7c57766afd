import Foundation
import Testing

/// A listening socket on a free port. The test supplies the code that serves its connections.
final class Listener: Sendable {
  private let socket: Int32
  let url: URL

  /// - Parameter serve: called with each connection's descriptor, on its own thread. It must close the descriptor.
  init(_ serve: @escaping @Sendable (Int32) -> Void = { close($0) }) throws {
    let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.socket = socket
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let (bound, port) = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        let bound = bind(socket, generic, length) == 0 && listen(socket, 200) == 0
        getsockname(socket, generic, &length)
        return (bound, UInt16(bigEndian: UnsafeRawPointer(generic).load(as: sockaddr_in.self).sin_port))
      }
    }
    try #require(bound)
    url = try #require(URL(string: "http://127.0.0.1:\(port)/device/v1/x"))
    Thread.detachNewThread {
      while true {
        let connection = accept(socket, nil, nil)
        // Closed only here: the system may reuse a closed descriptor's number at once for another test's socket.
        guard connection >= 0 else {
          close(socket)
          return
        }
        Thread.detachNewThread { serve(connection) }
      }
    }
  }

  deinit { shutdown(socket, Int32(SHUT_RDWR)) }

  /// Reads and returns the request, up to the end of its body.
  static func readRequest(_ connection: Int32) -> String {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return text }
      text += String(decoding: buffer[..<count], as: UTF8.self)
      if text.hasSuffix("}") { return text }
    }
  }

  /// Reads and returns the request's head.
  static func readHead(_ connection: Int32) -> String {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !text.contains("\r\n\r\n") {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return text }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    return text
  }

  static func write(_ text: String, to connection: Int32) {
    _ = send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
  }
}
