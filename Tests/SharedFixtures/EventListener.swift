import Foundation

/// Listens to an event stream over a socket of its own, as a page does.
package enum EventListener {
  /// Returns when the stream has ended.
  ///
  /// - Parameter line: told each line of the answer.
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
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.write(contentsOf: Data("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8))
    await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
      // Reading blocks.
      Thread.detachNewThread {
        var rest = Data()
        while let piece = try? file.read(upToCount: 1 << 16), !piece.isEmpty {
          rest.append(piece)
          while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            line(String(decoding: rest[..<end], as: UTF8.self).trimmingCharacters(in: .newlines))
            rest = Data(rest[rest.index(after: end)...])
          }
        }
        ended.resume()
      }
    }
  }
}
