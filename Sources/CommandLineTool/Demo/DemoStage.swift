import Foundation
import Logging
import SampleModel
import SignedData

/// What the demo runs on: a temporary folder, the emulator's process, phones. All of it goes when the demo ends.
final class DemoStage: @unchecked Sendable {
  private let lock = NSLock()
  private let folder = TemporaryFolder("demo")
  private let logger: Logger
  private var store: ChildProcess?
  private var storePort: Int?
  private var phones: [SampleAppPhone] = []
  private var servers: [ServerStage] = []

  /// - Parameter logger: is told what cannot be cleared away.
  init(logger: Logger) { self.logger = logger }

  let bundleIdentifier = SampleCatalog.bundleIdentifier

  /// Starts the emulator with the demo's catalog, and gives its address.
  func openStore(seed: UInt64?) async throws -> URL {
    try folder.make()
    try files.prepare()
    let address = try await runStore(port: 0, seed: seed)
    lock.withLock { storePort = address.port }
    return address
  }

  /// Kills the emulator's process, and starts it again on the same books and at the same address.
  func killAndReopenStore() async throws {
    let (store, port) = lock.withLock { (self.store, storePort) }
    await store?.kill()
    _ = try await runStore(port: port ?? 0, seed: nil)
  }

  private var files: StoreFiles { StoreFiles(folder: folder.url.appending(path: "store")) }

  private func runStore(port: Int, seed: UInt64?) async throws -> URL {
    let store = try ChildProcess(
      files.arguments(port: port, seed: seed), environment: Logger.Level.ofPrograms())
    lock.withLock { self.store = store }
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
    let phone = SampleAppPhone(
      storeAddress: storeAddress.absoluteString, folder: folder.url.appending(path: name), receiptRoot: receiptRoot,
      serverAddress: serverAddress, account: account)
    lock.withLock { phones.append(phone) }
    return phone
  }

  /// A place for purchase servers, which are not started yet.
  func servers(_ name: String, storeAddress: URL) -> ServerStage {
    let servers = ServerStage(folder: folder.url.appending(path: name), storeAddress: storeAddress)
    lock.withLock { self.servers.append(servers) }
    return servers
  }

  /// Ends the processes and removes the folder. Again does nothing.
  func clear() async {
    let (phones, servers, store) = lock.withLock {
      defer { (self.phones, self.servers, self.store) = ([], [], nil) }
      return (self.phones, self.servers, self.store)
    }
    for phone in phones { await phone.process?.kill() }
    for server in servers { await server.clear() }
    await store?.kill()
    folder.remove(logger)
  }
}
