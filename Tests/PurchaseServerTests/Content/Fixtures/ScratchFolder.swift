import Foundation
// For all files of this target.
@_exported import SharedFixtures

extension ScratchFolder {
  /// Returns all names in the folder, except the store's lock.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0 != ".lock" }.sorted()
  }
}
