import Foundation
import PrivatePostgreSQL
import ProgramSupport
import SampleModel
import StoreModel

/// The processes of the developer's purchase servers, behind one ``ServerProxy``.
final class PurchaseServerGroup: Sendable {
  /// Another app of the same developer. The servers accept its receipts as well.
  static let otherApp = "com.example.other"

  let proxy = ServerProxy()
  private let files: ServerFiles
  private let processes: ScriptProcesses
  private let state = LockedValue(State())

  private struct Server: Sendable {
    let process: ChildProcess
    let port: Int
  }

  private struct State: Sendable {
    var servers: [Server] = []
    var operators = OperatorClient(address: URL(filePath: "/"), key: "")
    var address = URL(filePath: "/")
  }

  var operators: OperatorClient { state.withLock { $0.operators } }
  /// The servers' address for phones.
  var address: URL { state.withLock { $0.address } }

  /// - Parameters:
  ///   - folder: the folder of the configuration, ledger and content.
  ///   - processes: the list to which the servers' processes are added.
  init(folder: URL, storeAddress: URL, processes: ScriptProcesses) {
    self.processes = processes
    files = ServerFiles(
      folder: folder, storeAddress: storeAddress, apps: [SampleCatalog.bundleIdentifier, Self.otherApp])
  }

  /// Starts servers.
  ///
  /// - Parameter postgreSQL: a connection string; nil for a ledger in SQLite, which allows only one server.
  func open(_ count: Int, postgreSQL: String? = nil) async throws {
    try processes.whileOpen { try files.prepare(postgreSQL: postgreSQL) }
    let key = try await ServerFiles.operatorKey(from: try processes.start(files.keyArguments))
    for _ in 0..<count {
      let server = try await run(port: 0)
      state.withLock { $0.servers.append(server) }
    }
    proxy.lead(to: state.withLock { $0.servers.map(\.port) })
    let address = try await proxy.open()
    state.withLock { state in
      state.address = address
      state.operators = OperatorClient(address: address, key: key)
    }
  }

  /// Kills the process of one server.
  func kill(_ index: Int) async { await state.withLock { $0.servers[index].process }.kill() }

  /// Starts a killed server again, on the same port.
  func reopen(_ index: Int) async throws {
    let server = try await run(port: state.withLock { $0.servers[index].port })
    state.withLock { $0.servers[index] = server }
  }

  /// Closes the network and kills all servers.
  func clear() async {
    proxy.close()
    for server in state.withLock({ $0.servers }) { await server.process.kill() }
  }

  private func run(port: Int) async throws -> Server {
    let server = try processes.start(files.arguments(port: port))
    let address = try await server.address(of: "purchase server")
    return Server(process: server, port: address.port ?? port)
  }
}
