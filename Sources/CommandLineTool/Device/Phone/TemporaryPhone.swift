import Foundation
import Logging

/// A phone that is forgotten at its end.
enum TemporaryPhone {
  static func make() throws -> URL {
    // Short, because a socket is in it.
    let folder = URL(filePath: NSTemporaryDirectory()).appending(
      path: "openstorekit-phone-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return folder
  }

  static func remove(_ folder: URL, _ logger: Logger) {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      logger.warning("The phone's folder could not be removed", metadata: ["folder": "\(folder.path)"])
    }
  }
}
