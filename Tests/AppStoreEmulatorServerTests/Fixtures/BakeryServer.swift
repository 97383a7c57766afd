import AppStoreEmulator
import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import ServiceLifecycle
import SharedFixtures
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

/// The server of a store that sells bread. Its clock stands still.
struct BakeryServer {
  static let app: BundleID = "org.example.bakery"
  /// A consumable for 3.50.
  static let loaf: ProductID = "org.example.bakery.loaf"
  /// A non-consumable for 120.
  static let oven: ProductID = "org.example.bakery.oven"
  /// 2026-07-01T12:00:00Z
  static let opening = StoreDate(millisecondsSince1970: 1_782_907_200_000)

  let store: EmulatedAppStore
  let clock: ManualClock
  let server: EmulatorServer

  init(
    _ configuration: EmulatorServer.Configuration = .init(port: 0), catalog: String? = nil,
    sleep: (@Sendable (Duration) async -> Void)? = nil
  ) async throws {
    let clock = ManualClock(Self.opening)
    self.clock = clock
    let machine: any MachineClock = sleep.map { ScriptedClock(date: { clock.now }, sleep: $0) } ?? clock
    store = try EmulatedAppStore(.inMemory(wallClock: machine, seed: 3))
    var configuration = configuration
    configuration.wallClock = clock
    server = try EmulatorServer(store: store, configuration: configuration, logger: Self.logger)
    try await store.serve(Self.app, catalog: [try Self.catalog()])
  }

  static func catalog(loafPrice: String = "3.50") throws -> StoreKitConfiguration {
    let text = """
      {"products": [
        {"productID": "\(loaf)", "type": "Consumable", "displayPrice": "\(loafPrice)", "referenceName": "Loaf",
         "localizations": [{"locale": "en_US", "displayName": "A loaf", "description": "Rye"}]},
        {"productID": "\(oven)", "type": "NonConsumable", "displayPrice": "120", "referenceName": "Oven",
         "familyShareable": true}
      ]}
      """
    return try StoreKitConfiguration(data: Data(text.utf8), name: "bakery.storekit")
  }

  /// Discards all messages, because the tests cause errors on purpose.
  static let logger = Logger(label: "bakery") { _ in SwiftLogNoOpLogHandler() }

  /// Runs `body` with a client that calls the routes directly, without a network.
  func withClient<Value: Sendable>(
    _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Value
  ) async throws -> Value {
    try await server.application().test(.router) { try await body($0) }
  }

  /// Runs the HTTP listener, and calls `body` with its port.
  func listening<Value: Sendable>(_ body: @Sendable (Int) async throws -> Value) async throws -> Value {
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    return try await Self.run(server.application { continuation.yield($0) }, ports, continuation, body)
  }

  /// Runs the HTTPS listener, and calls `body` with its port.
  func listeningWithTLS<Value: Sendable>(_ body: @Sendable (Int) async throws -> Value) async throws -> Value {
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let application = try #require(try server.tlsApplication { continuation.yield($0) })
    return try await Self.run(application, ports, continuation, body)
  }

  private static func run<Value: Sendable>(
    _ application: some ApplicationProtocol, _ ports: AsyncStream<Int>, _ continuation: AsyncStream<Int>.Continuation,
    _ body: @Sendable (Int) async throws -> Value
  ) async throws -> Value {
    let services = ServiceGroup(configuration: .init(services: [application], logger: logger))
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await services.run()
      }
      let port = await ports.first { _ in true }
      let result: Result<Value, any Error>
      do {
        result = .success(try await body(try #require(port, "the listener did not start")))
      } catch {
        result = .failure(error)
      }
      await services.triggerGracefulShutdown()
      try await group.waitForAll()
      return try result.get()
    }
  }
}
