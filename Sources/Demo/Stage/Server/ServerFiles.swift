import DurableSQLite
import Foundation
import Logging
import ProgramSupport

/// The folder that a purchase server of the demo lives in: its configuration, ledger and content.
struct ServerFiles: Sendable {
  let folder: URL
  /// The emulator's, which the server trusts.
  let storeAddress: URL
  /// The bundle ids that it serves.
  let apps: [String]

  var configuration: URL { folder.appending(path: "server.json") }

  /// Makes the folder, closed to others, and writes the configuration.
  ///
  /// - Parameters:
  ///   - postgreSQL: a connection string; nil for a ledger in SQLite.
  ///   - level: how much it logs.
  func prepare(postgreSQL: String? = nil, level: Logger.Level = .ofPrograms()) throws {
    try DurableFolder.make(folder)
    let database: [String: Any] =
      postgreSQL.map { ["postgresql": $0, "connections": 4, "withoutFsync": true] } ?? ["sqlite": "ledger.sqlite"]
    let document: [String: Any] = [
      "listen": ["port": 0], "database": database, "trust": ["emulator": storeAddress.absoluteString],
      "content": ["folder": "content", "linkKeys": [Data((0..<32).map { $0 }).base64EncodedString()]],
      "apps": apps.map { ["bundleId": $0, "verification": "both"] }, "log": ["level": level.rawValue],
    ]
    try DurableFile.replace(configuration, with: try JSONSerialization.data(withJSONObject: document))
    // It has a secret, and the server warns of one that others can read.
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: configuration.path)
  }

  /// How an operator's key is made.
  var keyArguments: [String] { ["server", "operator-key", "--config", configuration.path, "demo"] }

  /// The key that a process prints which was started with ``keyArguments``.
  static func operatorKey(from key: ChildProcess) async throws -> String {
    guard let text = await key.nextLine(), await key.status == 0 else {
      // A task that was cancelled does not wait for it.
      await key.kill()
      throw CommandFailure.refused("No operator's key could be made.")
    }
    return text
  }

  /// How a server is started.
  ///
  /// - Parameter port: 0 for any.
  func arguments(port: Int) -> [String] {
    ["server", "run", "--end-with-input", "--config", configuration.path, "--port", String(port)]
  }
}
