import Foundation

/// The file of an open ledger. SQLite does not notice if the file is removed or replaced, and would write into a file that no longer
/// has a name.
struct LedgerFile: Sendable {
  private struct Identity: Hashable, Sendable {
    let device: UInt64
    let file: UInt64
  }

  private let path: String
  private let identity: Identity

  /// - Returns: nil if there is no file at `path`.
  init?(at path: String) {
    guard let identity = Self.identity(of: path) else { return nil }
    (self.path, self.identity) = (path, identity)
  }

  /// Checks that the path still names the open file.
  ///
  /// - Throws: ``LedgerDatabaseError/notUsable(reason:)``.
  func check() throws {
    guard Self.identity(of: path) != identity else { return }
    throw LedgerDatabaseError.notUsable(
      reason: "the file \(path) was removed or replaced while it was open. Put it back, and restart the server")
  }

  private static func identity(of path: String) -> Identity? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Identity(device: UInt64(status.st_dev), file: UInt64(status.st_ino))
  }
}
