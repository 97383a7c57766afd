import AppStoreEmulatorServer
import ServiceLifecycle
import Testing

extension BookStore {
  /// Accepts connections, and calls `body` with the address.
  func listening<Value: Sendable>(_ body: @Sendable (String) async throws -> Value) async throws -> Value {
    let server = try EmulatorServer(store: store, configuration: .init(port: 0), logger: DownloadFixture.logger)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let services = ServiceGroup(
      configuration: .init(services: [server.application { continuation.yield($0) }], logger: DownloadFixture.logger))
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await services.run()
      }
      let port = try #require(await ports.first { _ in true }, "the emulator did not start")
      let result: Result<Value, any Error>
      do {
        result = .success(try await body("http://127.0.0.1:\(port)"))
      } catch {
        result = .failure(error)
      }
      await services.triggerGracefulShutdown()
      try await group.waitForAll()
      return try result.get()
    }
  }
}
