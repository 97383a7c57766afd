import Foundation

/// Makes folders, and the names of the files in them, durable.
///
/// A sync of a file makes its content durable, but not its name. The name belongs to the folder, which must be synced
/// as well; the folder's own name belongs to the folder above. Without that, some file systems lose a synced file of a
/// new folder in a power cut.
package enum DurableFolder {
  /// Creates a folder and its missing parents, with mode 0700. Existing folders are not changed.
  package static func make(_ folder: URL) throws {
    let folder = folder.absoluteURL
    let parent = folder.deletingLastPathComponent()
    if !FileManager.default.fileExists(atPath: folder.path) {
      if parent.path != folder.path { try make(parent) }
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    // The parent is synced even if the folder existed: the process that created the folder may have been killed before
    // its own sync.
    try sync(parent)
  }

  /// Makes the content of a database's files durable before it is read.
  ///
  /// A killed process may have left a commit that was written but not synced. SQLite reads it as committed, and the
  /// caller would act on a commit that a power cut can still undo.
  ///
  /// - Precondition: no connection to the database is open in this process, because closing a file releases its locks.
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

  /// Makes the names of the files in a folder durable.
  package static func sync(_ folder: URL) throws {
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // If this process may enter a folder but not read it, it cannot sync the folder. The folder's owner is responsible
    // for the sync.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // Some file systems return EINVAL, because they make names durable at once.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(folder.path) }
  }

  private static func failure(_ path: String) -> DurableSQLiteError {
    .cannotOpen(path: path, reason: "it cannot be synced (\(String(cString: strerror(errno))))")
  }
}
