import Foundation
import SampleModel

/// The developer's purchase server in a run: its configuration, and its data, which are on its disk.
enum DeveloperServer {
  static func ledger(in environment: RunEnvironment) -> URL { data(in: environment).appending(path: "ledger.sqlite") }

  private static func data(in environment: RunEnvironment) -> URL {
    environment.disk(of: .server).appending(path: "data")
  }

  /// - Parameter readsHistory: whether the server reads the store's notification history when it starts.
  static func configuration(_ environment: RunEnvironment, storeAddress: URL, readsHistory: Bool) throws -> URL {
    let file = environment.folder.appending(path: "server.json")
    let data = data(in: environment)
    try FileManager.default.createDirectory(
      at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let configuration: [String: Any] = [
      "database": ["sqlite": ledger(in: environment).path], "trust": ["emulator": storeAddress.absoluteString],
      "content": [
        "folder": data.appending(path: "content").path, "linkKeys": [Data((0..<32).map { $0 }).base64EncodedString()],
      ],
      "apps": [["bundleId": SampleCatalog.bundleIdentifier, "verification": "both"]], "log": ["level": "error"],
      "notifications": ["catchUpMinutes": readsHistory ? 15 : 0],
    ]
    try JSONSerialization.data(withJSONObject: configuration).write(to: file)
    return file
  }

  /// Makes a key, while no server runs.
  static func operatorKey(_ environment: RunEnvironment, _ configuration: URL) async throws -> String {
    let (lines, line) = AsyncStream.makeStream(of: PowerCutProcess.Output.self)
    _ = try PowerCutProcess(
      "openstorekit",
      ["server", "operator-key", "--config", configuration.path, "publisher"],
      variables: [:], errors: environment.folder.appending(path: "operator-key.errors")
    ) { line.yield($0) }
    for await output in lines {
      if case .line(let key) = output { return key }
      break
    }
    throw RunTimeout(lastLine: "none: the command operator-key printed no key")
  }
}
