import DurableSQLite
import Foundation
import Logging
import ProgramSupport

/// The folder of a purchase server of the demo: its configuration, ledger and content.
struct ServerFiles: Sendable {
  let folder: URL
  /// The address of the emulator, which the server trusts.
  let storeAddress: URL
  /// The bundle ids of the apps that the server serves.
  let apps: [String]

  var configuration: URL { folder.appending(path: "server.json") }

  /// Makes the folder, which only this user can read, and writes the configuration.
  ///
  /// - Parameters:
  ///   - postgreSQL: a connection string; nil for a ledger in SQLite.
  ///   - level: the log level.
  func prepare(postgreSQL: String? = nil, level: Logger.Level = .ofPrograms()) throws {
    try DurableFolder.make(folder)
    let database: [String: Any] =
      postgreSQL.map { ["postgresql": $0, "connections": 4, "withoutFsync": true] } ?? ["sqlite": "ledger.sqlite"]
    let document: [String: Any] = [
      "listen": ["port": 0], "database": database, "trust": ["emulator": storeAddress.absoluteString],
      "content": ["folder": "content", "linkKeys": [Data((0..<32).map { $0 }).base64EncodedString()]],
      "apps": apps.map { ["bundleId": $0, "verification": "serverAPI"] }, "log": ["level": level.rawValue],
    ]
    try DurableFile.replace(configuration, with: try JSONSerialization.data(withJSONObject: document))
    // The file contains a secret. The server warns if other users can read it.
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: configuration.path)
  }

  /// The arguments of a process that makes an operator's key.
  var keyArguments: [String] { ["server", "operator-key", "--config", configuration.path, "demo"] }

  /// Returns the operator's key that a process prints. The process must have been started with ``keyArguments``.
  ///
  /// - Throws: `CommandFailure` if the process fails.
  static func operatorKey(from key: ChildProcess) async throws -> String {
    guard let text = await key.nextLine(), await key.status == 0 else {
      // If the task is cancelled, `nextLine()` returns nil although the process may still run.
      await key.kill()
      throw CommandFailure.refused("The operator's key could not be created.")
    }
    return text
  }

  /// Returns the arguments of a server's process.
  ///
  /// - Parameter port: the port; 0 for a free one.
  func arguments(port: Int) -> [String] {
    ["server", "run", "--end-with-input", "--config", configuration.path, "--port", String(port)]
  }
}
