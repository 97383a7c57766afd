import Foundation
import StoreModel

/// A proxy in front of a PostgreSQL server's socket that can cut a connection before a COMMIT, or lose the answer to it.
package final class LossyProxy: Sendable {
  /// Where a connection is cut.
  package enum Cut: Hashable, Sendable {
    /// The COMMIT does not reach the server.
    case beforeCommit
    /// The COMMIT reaches the server, and its answer is lost.
    case afterCommit
  }

  private struct Plan: Sendable {
    let cut: Cut
    /// The text that the transaction has sent; nil for any transaction.
    let text: String?
    let act: @Sendable () -> Void
  }

  private let folder: URL
  private let server: String
  private let listener: Int32
  private let plan = LockedValue<Plan?>(nil)

  /// - Parameter server: the folder of the server's socket.
  package init(before server: String) throws {
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

  package var path: String { folder.path }

  /// The next COMMIT reaches the server, but its answer is lost: the connection is cut.
  package func loseNextCommitsAnswer() { cut(.afterCommit) }

  /// Cuts the connection of the next transaction that ends with a COMMIT.
  ///
  /// - Parameters:
  ///   - text: only a transaction that has sent this text, as a value or in a statement.
  ///   - act: called before the connection is cut: after the server has answered, or instead of sending the COMMIT.
  package func cut(_ cut: Cut, of text: String? = nil, _ act: @escaping @Sendable () -> Void = {}) {
    plan.value = Plan(cut: cut, text: text, act: act)
  }

  package func close() throws {
    shutdown(listener, Int32(SHUT_RDWR))
    Foundation.close(listener)
    try FileManager.default.removeItem(at: folder)
  }

  private func open(_ client: Int32) {
    let line = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard Self.address(in: server, { connect(line, $0, $1) }) == 0 else { return cut(client, line) }
    let lost = LockedValue<Plan?>(nil)
    Thread.detachNewThread { [self] in
      // What the transaction has sent so far.
      var sent = ""
      pass(from: client, to: line) { bytes in
        sent += String(decoding: bytes, as: UTF8.self)
        guard sent.contains("COMMIT\0") else { return true }
        let plan = takePlan(for: sent)
        sent = ""
        guard plan?.cut == .beforeCommit else {
          if let plan { lost.value = plan }
          return true
        }
        plan?.act()
        return false
      }
      cut(client, line)
    }
    Thread.detachNewThread { [self] in
      pass(from: line, to: client) { bytes in
        // Before it, there can be answers to the statements that were sent together with the COMMIT.
        let isAnswer = String(decoding: bytes, as: UTF8.self).contains("COMMIT\0")
        guard isAnswer, let plan = lost.value else { return true }
        plan.act()
        return false
      }
      cut(client, line)
    }
  }

  private func takePlan(for sent: String) -> Plan? {
    plan.withLock { plan in
      guard let text = plan?.text, !sent.contains(text) else {
        defer { plan = nil }
        return plan
      }
      return nil
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
