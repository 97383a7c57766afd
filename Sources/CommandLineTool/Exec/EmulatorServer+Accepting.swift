import AppStoreEmulatorServer
import Logging
import ProgramSupport
import ServiceLifecycle

extension EmulatorServer {
  /// Accepts connections while `body` runs.
  ///
  /// - Parameter body: receives the port.
  /// - Throws: the error of starting the listener, or the error of `body`.
  func accepting<Value: Sendable>(logger: Logger, _ body: (Int) async throws -> Value) async throws -> Value {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    var configuration = ServiceGroupConfiguration(services: [application { port.yield($0) }], logger: logger)
    // A client that keeps its connection open must not delay the end of this program.
    configuration.maximumGracefulShutdownDuration = .seconds(1)
    let services = ServiceGroup(configuration: configuration)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { port.finish() }
        try await services.run()
      }
      guard let number = await ports.first(where: { _ in true }) else {
        try await group.waitForAll()
        throw CommandFailure.refused("The emulator did not start.")
      }
      let result: Result<Value, any Error>
      do { result = .success(try await body(number)) } catch { result = .failure(error) }
      await services.triggerGracefulShutdown()
      do {
        try await group.waitForAll()
      } catch {
        // The result of the command is returned even if the store did not end cleanly.
        logger.warning("The emulator did not end cleanly: \(error)")
      }
      return try result.get()
    }
  }
}
