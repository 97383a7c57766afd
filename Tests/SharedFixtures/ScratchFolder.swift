import Foundation

/// A folder of its own for one test, which is gone when nobody holds it any more.
package final class ScratchFolder: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "openstorekit-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { remove() }

  /// Removes it now.
  package func remove() { try? FileManager.default.removeItem(at: url) }
}
