import Foundation

/// Receives a stream of server-sent events over its own socket, as a page does.
package enum EventListener {
  /// Returns when the server ends the stream.
  ///
  /// - Parameter line: called with each line of the response.
  package static func listen(port: Int, path: String, line: @escaping @Sendable (String) -> Void) async throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard descriptor >= 0, connected == 0 else { throw POSIXError(.ECONNREFUSED) }
    try FileHandle(fileDescriptor: descriptor).write(
      contentsOf: Data("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8))
    await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
      // On its own thread, because `read` blocks.
      Thread.detachNewThread {
        var rest = Data()
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        // Not with FileHandle: its `read(upToCount:)` waits until the buffer is full.
        while case let count = read(descriptor, &piece, piece.count), count > 0 {
          rest.append(contentsOf: piece[..<count])
          while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            line(String(decoding: rest[..<end], as: UTF8.self).trimmingCharacters(in: .newlines))
            rest = Data(rest[rest.index(after: end)...])
          }
        }
        close(descriptor)
        ended.resume()
      }
    }
  }
}
