import Foundation
import SampleModel

/// The developer's purchase server on a stage: its configuration, which stays as it is, and its data, which are on its disk.
enum DeveloperServer {
  static func ledger(on stage: Stage) -> URL { data(on: stage).appending(path: "ledger.sqlite") }

  private static func data(on stage: Stage) -> URL { stage.disk(of: .server).appending(path: "data") }

  static func configuration(_ stage: Stage, storeAddress: URL) throws -> URL {
    let file = stage.folder.appending(path: "server.json")
    let data = data(on: stage)
    try FileManager.default.createDirectory(
      at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let configuration: [String: Any] = [
      "database": ["sqlite": ledger(on: stage).path], "trust": ["emulator": storeAddress.absoluteString],
      "content": [
        "folder": data.appending(path: "content").path, "linkKeys": [Data((0..<32).map { $0 }).base64EncodedString()],
      ],
      "apps": [["bundleId": SampleCatalog.bundleIdentifier, "verification": "both"]], "log": ["level": "error"],
    ]
    try JSONSerialization.data(withJSONObject: configuration).write(to: file)
    return file
  }
}
