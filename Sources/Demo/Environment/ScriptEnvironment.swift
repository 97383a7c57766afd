import Foundation
import Logging
import ProgramSupport
import SampleModel
import SignedData
import StoreModel

/// The resources of the script: a temporary folder, the emulator's process, phones and purchase servers. All are
/// removed when the demo ends.
final class ScriptEnvironment: Sendable {
  private let folder = TemporaryFolder("demo")
  private let logger: Logger
  private let processes = ScriptProcesses()
  private let state = LockedValue(State())

  private struct State: Sendable {
    var store: ChildProcess?
    var storePort: Int?
    var servers: [PurchaseServerGroup] = []
    var clearing: Task<Void, Never>?
  }

  /// - Parameter logger: logs an error if the folder cannot be removed.
  init(logger: Logger) { self.logger = logger }

  let bundleIdentifier = SampleCatalog.bundleIdentifier

  /// Starts the emulator with the demo's catalog, and returns its address.
  func openStore(seed: UInt64?) async throws -> URL {
    try processes.whileOpen {
      try folder.make()
      try files.prepare()
    }
    let address = try await runStore(port: 0, seed: seed)
    state.withLock { $0.storePort = address.port }
    return address
  }

  /// Kills the emulator's process, and starts it again with the same database and address.
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

  /// Returns a new phone, whose app is not running.
  ///
  /// - Parameters:
  ///   - receiptRoot: the fingerprint that is built into its app; nil for an app that trusts any store.
  ///   - serverAddress: the purchase server; nil for an app without one.
  ///   - account: the store account that signs in on the phone.
  func phone(
    _ name: String, storeAddress: URL, receiptRoot: SHA256Fingerprint? = nil, serverAddress: URL? = nil,
    hasServerCredits: Bool = false, account: String = "customer"
  ) -> SampleAppPhone {
    SampleAppPhone(
      storeAddress: storeAddress.absoluteString, folder: folder.url.appending(path: name), processes: processes,
      receiptRoot: receiptRoot, serverAddress: serverAddress, hasServerCredits: hasServerCredits, account: account)
  }

  /// Returns a new group of purchase servers, which are not started yet.
  func servers(_ name: String, storeAddress: URL) -> PurchaseServerGroup {
    let servers = PurchaseServerGroup(
      folder: folder.url.appending(path: name), storeAddress: storeAddress, processes: processes)
    state.withLock { $0.servers.append(servers) }
    return servers
  }

  /// Ends the processes and removes the folder, once. Every call returns when that is done.
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
