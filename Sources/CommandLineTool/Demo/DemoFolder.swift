import Foundation

/// The temporary folder of a demo, closed to others, with everything in it that goes when the demo ends.
struct DemoFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(path: "openstorekit-demo-\(UUID().uuidString)")

  var store: StoreFiles { StoreFiles(folder: url.appending(path: "store")) }

  func make() throws {
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  func remove() { try? FileManager.default.removeItem(at: url) }
}
