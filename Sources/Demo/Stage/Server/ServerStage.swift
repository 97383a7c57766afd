import Foundation
import PrivatePostgreSQL
import ProgramSupport
import SampleModel
import StoreModel

/// The developer's purchase servers, as processes, behind one line.
final class ServerStage: Sendable {
  /// An app of the same developer, whose receipts the servers take as well.
  static let otherApp = "com.example.other"

  let line = ServerNetwork()
  private let files: ServerFiles
  private let processes: StageProcesses
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
  /// The address for phones.
  var address: URL { state.withLock { $0.address } }

  /// - Parameters:
  ///   - folder: where configuration, ledger and content are.
  ///   - processes: the servers' are started among them.
  init(folder: URL, storeAddress: URL, processes: StageProcesses) {
    self.processes = processes
    files = ServerFiles(
      folder: folder, storeAddress: storeAddress, apps: [SampleCatalog.bundleIdentifier, Self.otherApp])
  }

  /// Starts servers.
  ///
  /// - Parameter postgreSQL: a connection string; nil for a ledger in SQLite, and one server.
  func open(_ count: Int, postgreSQL: String? = nil) async throws {
    try processes.whileOpen { try files.prepare(postgreSQL: postgreSQL) }
    let key = try await ServerFiles.operatorKey(from: try processes.start(files.keyArguments))
    for _ in 0..<count {
      let server = try await run(port: 0)
      state.withLock { $0.servers.append(server) }
    }
    line.lead(to: state.withLock { $0.servers.map(\.port) })
    let address = try await line.open()
    state.withLock { state in
      state.address = address
      state.operators = OperatorClient(address: address, key: key)
    }
  }

  /// Kills the process of one server; the others stay.
  func kill(_ place: Int) async { await state.withLock { $0.servers[place].process }.kill() }

  /// Starts a server that was killed again, where it was.
  func reopen(_ place: Int) async throws {
    let server = try await run(port: state.withLock { $0.servers[place].port })
    state.withLock { $0.servers[place] = server }
  }

  /// Ends all of it.
  func clear() async {
    line.close()
    for server in state.withLock({ $0.servers }) { await server.process.kill() }
  }

  private func run(port: Int) async throws -> Server {
    let server = try processes.start(files.arguments(port: port))
    let address = try await server.address(of: "purchase server")
    return Server(process: server, port: address.port ?? port)
  }
}
