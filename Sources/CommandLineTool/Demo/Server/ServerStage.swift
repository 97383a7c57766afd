import Foundation
import PrivatePostgreSQL
import SampleModel

/// The developer's purchase servers, as processes, behind one line.
final class ServerStage: @unchecked Sendable {
  /// An app of the same developer, whose receipts the servers take as well.
  static let otherApp = "com.example.other"

  let line = ServerLine()
  private let files: ServerFiles
  private let processes: StageProcesses
  private let lock = NSLock()
  private var servers: [(process: ChildProcess, port: Int)] = []
  private(set) var operators = OperatorClient(address: URL(filePath: "/"), key: "")
  /// What phones are given.
  private(set) var address = URL(filePath: "/")

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
      lock.withLock { servers.append(server) }
    }
    line.lead(to: ports)
    address = try await line.open()
    operators = OperatorClient(address: address, key: key)
  }

  /// Kills the process of one server; the others stay.
  func kill(_ place: Int) async { await lock.withLock { servers[place].process }.kill() }

  /// Starts a server that was killed again, where it was.
  func reopen(_ place: Int) async throws {
    let server = try await run(port: lock.withLock { servers[place].port })
    lock.withLock { servers[place] = server }
  }

  /// Ends all of it.
  func clear() async {
    line.close()
    for server in lock.withLock({ servers }) { await server.process.kill() }
  }

  private var ports: [Int] { lock.withLock { servers.map(\.port) } }

  private func run(port: Int) async throws -> (process: ChildProcess, port: Int) {
    let server = try processes.start(files.arguments(port: port))
    let address = try await server.address(of: "purchase server")
    return (server, address.port ?? port)
  }
}
