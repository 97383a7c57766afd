import Foundation

/// Reads and replaces small files atomically: after a crash or a power cut, a file is complete or missing.
public enum DurableFile {
  /// Creates a file with mode 0600, or replaces its content. The change is durable when this returns. Missing folders
  /// are created with mode 0700.
  ///
  /// - Throws: ``DurableSQLiteError/cannotOpen(path:reason:)``, or Foundation's error if a folder cannot be created.
  ///   After an error, the old file is unchanged, with one exception: if the last sync of the folder fails, the file
  ///   already has the new content.
  public static func replace(_ file: URL, with data: Data) throws {
    let folder = file.deletingLastPathComponent()
    try DurableFolder.make(folder)
    let new = file.path + ".new"
    do {
      try write(data, to: new)
      guard rename(new, file.path) == 0 else { throw failure(file.path) }
    } catch {
      unlink(new)
      throw error
    }
    try DurableFolder.sync(folder)
  }

  /// Returns the content of a file that ``replace(_:with:)`` wrote; nil if the file does not exist.
  ///
  /// Syncs the folder first: the process that wrote the file may have been killed before its own sync, and the caller
  /// acts on the content.
  public static func read(_ file: URL) throws -> Data? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    try DurableFolder.sync(file.deletingLastPathComponent())
    do {
      return try Data(contentsOf: file)
    } catch {
      throw DurableSQLiteError.cannotOpen(path: file.path, reason: error.localizedDescription)
    }
  }

  /// Renames a file within its folder, or removes it if `name` is nil. The change is durable when this returns. A
  /// missing file is not an error.
  static func move(_ path: String, to name: String?) throws {
    let result = name.map { rename(path, $0) } ?? unlink(path)
    guard result == 0 || errno == ENOENT else { throw failure(path) }
    try DurableFolder.sync(URL(filePath: path).deletingLastPathComponent())
  }

  /// Gives a file a second name in its folder. A missing file is not an error. If the file system has no hard links,
  /// the file is copied, durably.
  static func link(_ path: String, as name: String) throws {
    if Foundation.link(path, name) == 0 || errno == ENOENT { return }
    guard errno == EPERM || errno == ENOTSUP || errno == EMLINK else { throw failure(path) }
    try write(try Data(contentsOf: URL(filePath: path), options: .alwaysMapped), to: name)
  }

  /// Removes a file, durably. A missing file is not an error.
  public static func remove(_ file: URL) throws { try move(file.path, to: nil) }

  private static func write(_ data: Data, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    try data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failure(path) }
        rest = rest.dropFirst(count)
      }
    }
    guard fsync(descriptor) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: String) -> DurableSQLiteError {
    .cannotOpen(path: path, reason: String(cString: strerror(errno)))
  }
}
