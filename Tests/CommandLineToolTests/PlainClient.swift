import Foundation

/// A TCP connection to this machine, that sends bytes unchanged. It stays open until it is deinitialised.
final class PlainClient {
  private let handle: FileHandle

  init(port: UInt16) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXError(.ENOTSOCK) }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw POSIXError(.ECONNREFUSED) }
  }

  func send(_ text: String) throws { try handle.write(contentsOf: Data(text.utf8)) }

  /// Returns the received text, up to the first piece that contains `end`, or until the connection ends.
  func received(until end: String) -> String {
    var text = ""
    while !text.contains(end) {
      let more = handle.availableData
      if more.isEmpty { break }
      text += String(decoding: more, as: UTF8.self)
    }
    return text
  }
}
