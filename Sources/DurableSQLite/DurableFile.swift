import Foundation

/// Files that are there as a whole or not at all, also after a power cut.
public enum DurableFile {
  /// Puts `data` in the place of a file, or makes it, with mode 0600; durable when it returns. Folders that are missing
  /// are made with mode 0700.
  ///
  /// - Throws: ``DurableSQLiteError/cannotOpen(path:reason:)``; what was there before is then there still.
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

  /// What ``replace(_:with:)`` put into a file; nil where there is none.
  ///
  /// Its name is made durable before it is read: whoever put it there may have been killed before that, and whoever reads it
  /// acts on it.
  public static func read(_ file: URL) throws -> Data? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    try DurableFolder.sync(file.deletingLastPathComponent())
    do {
      return try Data(contentsOf: file)
    } catch {
      throw DurableSQLiteError.cannotOpen(path: file.path, reason: error.localizedDescription)
    }
  }

  /// Gives a file another name in its folder, or removes it where `name` is nil; durable when it returns.
  static func move(_ path: String, to name: String?) throws {
    let result = name.map { rename(path, $0) } ?? unlink(path)
    guard result == 0 || errno == ENOENT else { throw failure(path) }
    try DurableFolder.sync(URL(filePath: path).deletingLastPathComponent())
  }

  /// Removes a file, durably. One that is not there is as good as removed.
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
