import Foundation

/// Folders, and what is in them, that outlast a power cut.
///
/// A sync of a file makes its content durable, not its name: that is the folder's, which has to be synced itself, and
/// its own name in the folder above. On some file systems a file of a folder just made would otherwise vanish with the
/// folder, synced content and all.
package enum DurableFolder {
  /// Makes a folder, and those above it that are missing, with mode 0700. What is there already is left alone.
  package static func make(_ folder: URL) throws {
    let folder = folder.absoluteURL
    let parent = folder.deletingLastPathComponent()
    if !FileManager.default.fileExists(atPath: folder.path) {
      if parent.path != folder.path { try make(parent) }
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    // Also if it was there: whoever made it may have been killed before this.
    try sync(parent)
  }

  /// Makes durable what is in a database's files, before anybody reads them.
  ///
  /// A process that was killed may have left a commit that it had written and not yet synced. SQLite takes it for
  /// committed; so would those who read it, and act on it.
  ///
  /// - Precondition: no connection to the database is open in this process, because closing a file gives its locks free.
  static func settle(_ database: URL) throws {
    for ending in ["", "-wal", "-journal"] { try syncFile(database.path + ending) }
    try sync(database.deletingLastPathComponent())
  }

  private static func syncFile(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return }
      throw failure(path)
    }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(path) }
  }

  /// Makes durable which names are in a folder.
  package static func sync(_ folder: URL) throws {
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A folder one may pass through but not read cannot be synced by its user; whoever made it is answerable for it.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // Some file systems do not know how, because all their names are durable at once.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(folder.path) }
  }

  private static func failure(_ path: String) -> DurableSQLiteError {
    .cannotOpen(path: path, reason: "it cannot be synced (\(String(cString: strerror(errno))))")
  }
}
