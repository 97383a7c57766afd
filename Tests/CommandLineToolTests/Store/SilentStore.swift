import Foundation
import StoreModel

/// Accepts one request on a free port, reads all of it, and closes the connection without a response.
final class SilentStore: Sendable {
  let address: String
  private let listener: Int32
  private let bytes = LockedValue(Data())

  struct NoPort: Error {}

  /// The received request.
  var received: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var socketAddress = sockaddr_in()
    socketAddress.sin_family = sa_family_t(AF_INET)
    socketAddress.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &socketAddress) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    self.listener = listener
    guard isBound, listen(listener, 4) == 0 else { throw NoPort() }
    address = "http://127.0.0.1:\(UInt16(bigEndian: socketAddress.sin_port))"
    Thread.detachNewThread { [weak self, listener] in
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        self?.read(connection)
        close(connection)
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Reads until the body is complete.
  private func read(_ connection: Int32) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !received.contains("}") {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      bytes.withLock { $0.append(contentsOf: buffer.prefix(count)) }
    }
  }
}
