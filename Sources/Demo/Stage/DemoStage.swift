import Foundation
import Logging
import ProgramSupport
import SampleModel
import SignedData
import StoreModel

/// What the demo runs on: a temporary folder, the emulator's process, phones. All of it goes when the demo ends.
final class DemoStage: Sendable {
  private let folder = TemporaryFolder("demo")
  private let logger: Logger
  private let processes = StageProcesses()
  private let state = LockedValue(State())

  private struct State: Sendable {
    var store: ChildProcess?
    var storePort: Int?
    var servers: [ServerStage] = []
    var clearing: Task<Void, Never>?
  }

  /// - Parameter logger: is told what cannot be cleared away.
  init(logger: Logger) { self.logger = logger }

  let bundleIdentifier = SampleCatalog.bundleIdentifier

  /// Starts the emulator with the demo's catalog, and gives its address.
  func openStore(seed: UInt64?) async throws -> URL {
    try processes.whileOpen {
      try folder.make()
      try files.prepare()
    }
    let address = try await runStore(port: 0, seed: seed)
    state.withLock { $0.storePort = address.port }
    return address
  }

  /// Kills the emulator's process, and starts it again on the same books and at the same address.
  func killAndReopenStore() async throws {
    let (store, port) = state.withLock { ($0.store, $0.storePort) }
    await store?.kill()
    _ = try await runStore(port: port ?? 0, seed: nil)
  }

  private var files: StoreFiles { StoreFiles(folder: folder.url.appending(path: "store")) }

  private func runStore(port: Int, seed: UInt64?) async throws -> URL {
    let store = try processes.start(
      files.arguments(port: port, seed: seed), environment: Logger.Level.variables())
    state.withLock { $0.store = store }
    return try await store.address(of: "emulator")
  }

  /// A phone that goes with the stage, switched off.
  ///
  /// - Parameters:
  ///   - receiptRoot: what its app has built in; nil where it trusts the store it meets.
  ///   - serverAddress: the purchase server's; nil for an app without one.
  ///   - account: who signs in to the store on it.
  func phone(
    _ name: String, storeAddress: URL, receiptRoot: SHA256Fingerprint? = nil, serverAddress: URL? = nil,
    account: String = "customer"
  ) -> SampleAppPhone {
    SampleAppPhone(
      storeAddress: storeAddress.absoluteString, folder: folder.url.appending(path: name), processes: processes,
      receiptRoot: receiptRoot, serverAddress: serverAddress, account: account)
  }

  /// A place for purchase servers, which are not started yet.
  func servers(_ name: String, storeAddress: URL) -> ServerStage {
    let servers = ServerStage(
      folder: folder.url.appending(path: name), storeAddress: storeAddress, processes: processes)
    state.withLock { $0.servers.append(servers) }
    return servers
  }

  /// Ends the processes and removes the folder. It is done once, and whoever asks for it returns when it is done.
  func clear() async {
    let clearing = state.withLock { state in
      let clearing = state.clearing ?? Task { await clearOnce() }
      state.clearing = clearing
      return clearing
    }
    await clearing.value
  }

  private func clearOnce() async {
    await processes.end()
    for server in state.withLock({ $0.servers }) { await server.clear() }
    folder.remove(logger)
  }
}
