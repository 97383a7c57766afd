import Foundation
import Hummingbird
import Logging

/// A server that receives notifications, in a process of its own, so that neither its memory nor its threads are the store's.
enum NotificationReceiver {
  /// The argument of the child process.
  static let part = "notification-receiver"
  /// The path at which every notification is refused with status 500.
  static let refusingPath = "refused"

  /// Serves until its input ends, which it also does with the parent process. Prints the port.
  static func serve() async throws {
    let router = Router()
    router.post("/") { request, _ in
      for try await _ in request.body {}
      return HTTPResponse.Status.ok
    }
    router.post("/\(refusingPath)") { request, _ in
      for try await _ in request.body {}
      return HTTPResponse.Status.internalServerError
    }
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        FileHandle.standardOutput.write(Data("\(channel.localAddress?.port ?? 0)\n".utf8))
      }, logger: Logger(label: "receiver") { _ in SwiftLogNoOpLogHandler() })
    Thread {
      while readLine() != nil {}
      exit(0)
    }.start()
    try await application.run()
  }

  /// Runs a receiver, and calls `body` with its address.
  static func running<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
    let process = Process()
    process.executableURL = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    process.arguments = [part]
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    defer {
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let read = output.fileHandleForReading.availableData
      guard !read.isEmpty else { throw CancellationError() }
      line += read
    }
    let port = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard let url = URL(string: "http://127.0.0.1:\(port)/") else { throw CancellationError() }
    return try await body(url)
  }
}
