import AppStoreEmulatorServer
import Logging
import ProgramSupport
import ServiceLifecycle

extension EmulatorServer {
  /// Accepts connections while `body` works, and no longer.
  ///
  /// - Parameter body: is given the port.
  /// - Throws: what starting the listener gave, or what `body` throws.
  func accepting<Value: Sendable>(logger: Logger, _ body: (Int) async throws -> Value) async throws -> Value {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    var configuration = ServiceGroupConfiguration(services: [application { port.yield($0) }], logger: logger)
    // A connection that somebody keeps open must not keep the command's caller waiting.
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
        // What the command said counts, however its store ended.
        logger.warning("The emulator did not end cleanly: \(error)")
      }
      return try result.get()
    }
  }
}
