import Foundation
import PrivatePostgreSQL
import SampleModel

/// The developer's purchase servers, as processes, behind one line.
final class ServerStage: @unchecked Sendable {
  /// An app of the same developer, whose receipts the servers take as well.
  static let otherApp = "com.example.other"

  let line = ServerLine()
  private let folder: URL
  private let storeAddress: URL
  private let lock = NSLock()
  private var servers: [(process: ChildProcess, port: Int)] = []
  private(set) var operators = OperatorClient(address: URL(filePath: "/"), key: "")
  /// What phones are given.
  private(set) var address = URL(filePath: "/")

  /// - Parameter folder: where configuration, ledger and content are.
  init(folder: URL, storeAddress: URL) {
    self.folder = folder
    self.storeAddress = storeAddress
  }

  /// Starts servers.
  ///
  /// - Parameter postgreSQL: a connection string; nil for a ledger in SQLite, and one server.
  func open(_ count: Int, postgreSQL: String? = nil) async throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let database: [String: Any] =
      postgreSQL.map { ["postgresql": $0, "connections": 4, "withoutFsync": true] } ?? ["sqlite": "ledger.sqlite"]
    let configuration: [String: Any] = [
      "listen": ["port": 0], "database": database, "trust": ["emulator": storeAddress.absoluteString],
      "content": ["folder": "content", "linkKeys": [Data((0..<32).map { $0 }).base64EncodedString()]],
      "apps": [SampleCatalog.bundleIdentifier, Self.otherApp].map { ["bundleId": $0, "verification": "both"] },
      "log": ["level": "error"],
    ]
    try JSONSerialization.data(withJSONObject: configuration).write(to: configurationFile)
    let key = try ChildProcess(["server", "operator-key", "--config", configurationFile.path, "demo"])
    guard let text = await key.nextLine(), try await key.finishInput() == 0 else {
      throw CommandFailure.refused("No operator's key could be made.")
    }
    for _ in 0..<count {
      let server = try await run(port: 0)
      lock.withLock { servers.append(server) }
    }
    line.lead(to: ports)
    address = try await line.open()
    operators = OperatorClient(address: address, key: text)
  }

  /// Kills the process of one server; the others stay.
  func kill(_ place: Int) async { await lock.withLock { servers[place].process }.killAndWait() }

  /// Starts a server that was killed again, where it was.
  func reopen(_ place: Int) async throws {
    let server = try await run(port: lock.withLock { servers[place].port })
    lock.withLock { servers[place] = server }
  }

  /// Ends all of it.
  func clear() {
    line.close()
    for server in lock.withLock({ servers }) { server.process.killNow() }
  }

  private var ports: [Int] { lock.withLock { servers.map(\.port) } }

  private var configurationFile: URL { folder.appending(path: "server.json") }

  private func run(port: Int) async throws -> (process: ChildProcess, port: Int) {
    let server = try ChildProcess([
      "server", "run", "--end-with-input", "--config", configurationFile.path, "--port", String(port),
    ])
    guard let ready = await server.nextLine(), ready.hasPrefix("ready "),
      let port = URL(string: String(ready.dropFirst(6)))?.port
    else { throw CommandFailure.refused("The purchase server did not start.") }
    return (server, port)
  }
}
