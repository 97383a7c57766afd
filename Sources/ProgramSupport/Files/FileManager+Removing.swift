import Foundation

extension FileManager {
  /// Removes a file, or a folder with its contents. Does nothing if it does not exist. Removes a symbolic link, but not its
  /// target.
  package func removeIfThere(_ url: URL) throws {
    do {
      try removeItem(at: url)
    } catch CocoaError.fileNoSuchFile {
      return
    }
  }
}
