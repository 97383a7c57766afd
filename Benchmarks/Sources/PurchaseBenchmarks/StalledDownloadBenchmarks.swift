import Foundation
import Hummingbird
import Logging
import PurchaseLedger
import PurchaseServer
import ServiceLifecycle
import SignedData
import StoreModel

/// Measures the purchase server's memory while clients request a file of 64 MiB but read nothing, and after they have
/// disconnected.
///
/// Each number of clients runs in a process of its own, because a process seldom returns memory to the system. The clients
/// are plain sockets in the server's process. They use no memory outside the kernel.
enum StalledDownloadBenchmarks {
  private static let readers = [25, 50, 100, 200]
  private static let megabytes = 64

  static func run() throws {
    print("\nReaders that ask for a file of \(megabytes) MiB and read nothing of it")
    print("     readers   MiB before    MiB stalled   KiB a reader     MiB after   sent, KiB a reader")
    for count in readers { try ScaleBenchmarks.child("stalled-readers", count) }
  }

  /// Measures one number of clients and prints its row. Runs in a child process.
  static func readers(_ count: Int) async throws {
    try await DownloadBenchmarks.serving(megabytes: megabytes) { port, path in
      let before = Report.mebibytes("VmRSS")
      var sockets: [CInt] = []
      for _ in 0..<count { sockets.append(try request(path, port)) }
      try await Task.sleep(for: .seconds(10))
      let stalled = Report.mebibytes("VmRSS")
      let sent = try sentBytes(port)
      for socket in sockets { close(socket) }
      try await Task.sleep(for: .seconds(5))
      print(
        String(
          format: "%12ld%13.1f%15.1f%15.0f%14.1f%21.0f", count, before, stalled,
          (stalled - before) * 1024 / Double(count), Report.mebibytes("VmRSS"), sent / Double(count) / 1024))
    }
  }

  /// Connects and sends a request. The receive buffer is small, so that unread data stays at the server.
  private static func request(_ path: String, _ port: Int) throws -> CInt {
    let descriptor = try connected(to: port, receiveBufferBytes: 65_536)
    let text = "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    guard send(descriptor, text, text.utf8.count, 0) == text.utf8.count else { throw CancellationError() }
    return descriptor
  }

  /// Returns a socket that is connected to a port of this machine.
  static func connected(to port: Int, receiveBufferBytes: CInt? = nil) throws -> CInt {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    if var receiveBufferBytes {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBufferBytes, socklen_t(MemoryLayout<CInt>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port)).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw CancellationError() }
    return descriptor
  }

  /// Returns a port that is taken, at which nothing listens. The caller closes the descriptor.
  static func boundPort() throws -> (port: Int, descriptor: CInt) {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw CancellationError() }
    return (Int(UInt16(bigEndian: address.sin_port)), descriptor)
  }

  /// Returns the number of sent bytes that the server's metrics report.
  private static func sentBytes(_ port: Int) throws -> Double {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/curl")
    process.arguments = ["-sf", "http://127.0.0.1:\(port)/metrics"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    let line = text.split(separator: "\n").first { $0.hasPrefix("purchase_server_downloaded_bytes_total ") }
    return line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
  }
}
