import Foundation
import StoreModel

/// A proxy in front of a server's socket that can lose the answer to a COMMIT.
final class LossyProxy: Sendable {
  private let folder: URL
  private let server: String
  private let listener: Int32
  private let losesNext = LockedValue(false)

  /// - Parameter server: the folder of the server's socket.
  init(before server: String) throws {
    folder = URL(filePath: "/tmp/proxy-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.server = server
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard Self.address(in: folder.path, { bind(listener, $0, $1) }) == 0, listen(listener, 16) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        open(client)
      }
    }
  }

  var path: String { folder.path }

  /// The next COMMIT reaches the server, but its answer is lost: the connection is cut.
  func loseNextCommitsAnswer() { losesNext.value = true }

  func close() throws {
    shutdown(listener, Int32(SHUT_RDWR))
    Foundation.close(listener)
    try FileManager.default.removeItem(at: folder)
  }

  private func open(_ client: Int32) {
    let line = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard Self.address(in: server, { connect(line, $0, $1) }) == 0 else { return cut(client, line) }
    let isLost = LockedValue(false)
    Thread.detachNewThread { [self] in
      pass(from: client, to: line) { bytes in
        if String(decoding: bytes, as: UTF8.self).contains("COMMIT\0"), takeLoss() { isLost.value = true }
        return true
      }
      cut(client, line)
    }
    Thread.detachNewThread { [self] in
      pass(from: line, to: client) { _ in !isLost.value }
      cut(client, line)
    }
  }

  private func takeLoss() -> Bool {
    losesNext.withLock { losesNext in
      defer { losesNext = false }
      return losesNext
    }
  }

  /// Passes bytes on until `goesOn` returns false.
  private func pass(from source: Int32, to target: Int32, _ goesOn: (ArraySlice<UInt8>) -> Bool) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(source, &buffer, buffer.count, 0)
      guard count > 0, goesOn(buffer[..<count]) else { return }
      var sent = 0
      while sent < count {
        let part = buffer[sent..<count].withUnsafeBytes {
          send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard part > 0 else { return }
        sent += part
      }
    }
  }

  /// The descriptors stay open, so that their numbers are not reused while the other thread uses them.
  private func cut(_ sockets: Int32...) {
    for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
  }

  private static func address(
    in folder: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array("\(folder)/.s.PGSQL.5432".utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
