import Foundation

extension FileManager {
  /// Removes a file, or a folder with all that is in it. What is not there is as good as removed. Of a link, what it leads to stays.
  package func removeIfThere(_ url: URL) throws {
    do {
      try removeItem(at: url)
    } catch CocoaError.fileNoSuchFile {
      return
    }
  }
}
