import DurableSQLite
import Foundation
import Logging

/// A folder, closed to others, that goes with the program that made it.
struct TemporaryFolder: Sendable {
  let url: URL

  /// - Parameter purpose: a word for its name.
  init(_ purpose: String) {
    // Short, because sockets are in it.
    let name = "openstorekit-\(purpose)-\(UUID().uuidString.prefix(8))"
    url = FileManager.default.temporaryDirectory.appending(path: name)
  }

  func make() throws { try DurableFolder.make(url) }

  /// Removes it with all that is in it, if it is there.
  ///
  /// - Parameter logger: is told why it could not be.
  func remove(_ logger: Logger) {
    do {
      try FileManager.default.removeIfThere(url)
    } catch {
      logger.warning(
        "A temporary folder could not be removed", metadata: ["folder": "\(url.path)", "error": "\(error)"])
    }
  }
}
