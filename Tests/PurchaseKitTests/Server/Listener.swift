import Foundation
import Logging
import ServiceLifecycle
import Testing

/// A server of a test, on a free port of this machine.
enum Listener {
  static let quiet = Logger(label: "live-server") { _ in SwiftLogNoOpLogHandler() }

  /// Starts a server, calls `body` with its address, and stops the server.
  ///
  /// - Parameter make: creates the server, which calls its parameter with the port once it accepts connections.
  static func running<Value: Sendable>(
    _ make: (@escaping @Sendable (Int) async -> Void) throws -> any Service,
    _ body: @Sendable (URL) async throws -> Value
  ) async throws -> Value {
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let services = ServiceGroup(
      configuration: .init(services: [try make { continuation.yield($0) }], logger: quiet))
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await services.run()
      }
      let port = try #require(await ports.first { _ in true }, "the server did not start")
      let url = try #require(URL(string: "http://127.0.0.1:\(port)"))
      let result: Result<Value, any Error>
      do {
        result = .success(try await body(url))
      } catch {
        result = .failure(error)
      }
      await services.triggerGracefulShutdown()
      try await group.waitForAll()
      return try result.get()
    }
  }
}
