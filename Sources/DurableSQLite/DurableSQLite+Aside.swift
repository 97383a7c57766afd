import Foundation
import GRDB

extension DurableSQLite {
  /// A file that could not be used and was moved aside. A new file has taken its name.
  public struct SetAside: Hashable, Sendable {
    public let url: URL
    public let reason: String
  }

  /// Opens or creates a database, checks all of it, and reads its content. If the file is damaged or its content cannot
  /// be read, the file is moved aside under a numbered name, and a new database is created. Use this only if the old
  /// content is not essential.
  ///
  /// A file with migrations unknown to `migrator` is treated as unreadable.
  ///
  /// - Parameter content: reads and checks the content.
  /// - Throws: ``DurableSQLiteError`` if the file is in use or the disk fails. If this error occurs while the existing
  ///   file is opened, the file is not moved.
  public static func openSettingAside<Content>(
    at url: URL, migrator: DatabaseMigrator, reading content: (Database) throws -> Content
  ) throws(DurableSQLiteError) -> (database: DurableDatabase, content: Content, aside: SetAside?) {
    try mapErrors(url) {
      try DurableFolder.make(url.deletingLastPathComponent())
      // The lock is not released between the steps. Otherwise another process could open the new file before it is
      // complete, and move it aside as damaged.
      let lock = try FileLock(for: url)
      do {
        do {
          let (queue, content) = try openChecked(url, migrator, content)
          return (DurableDatabase(queue, path: url.path, lock: lock), content, nil)
        } catch {
          guard let reason = damage(error, url) else { throw error }
          let aside = freeName(beside: url)
          try linkAside(url, as: aside)
          try removeOriginal(url)
          let (queue, content) = try openChecked(url, migrator, content)
          return (
            DurableDatabase(queue, path: url.path, lock: lock), content, SetAside(url: aside, reason: reason)
          )
        }
      } catch {
        lock.release()
        throw error
      }
    }
  }

  /// The endings of a database's files. The database itself comes first.
  private static let endings = ["", "-wal", "-journal"]

  /// Gives a database and its journals second names. All second names are durable before any original name is removed.
  /// So if the process is killed, at least one set of names is complete.
  static func linkAside(_ url: URL, as aside: URL) throws {
    for ending in endings { try DurableFile.link(url.path + ending, as: aside.path + ending) }
    try DurableFolder.sync(url.deletingLastPathComponent())
  }

  /// Removes the original names. The name of the database is removed before the names of its journals: SQLite deletes
  /// journals without a database, but it would read a database without its journals as it was before the last commits.
  static func removeOriginal(_ url: URL) throws {
    for ending in endings { try DurableFile.move(url.path + ending, to: nil) }
  }

  /// Returns the first unused name of the form `NAME.aside-1` beside `url`.
  static func freeName(beside url: URL) -> URL {
    var number = 1
    while true {
      let name = url.deletingLastPathComponent().appending(path: "\(url.lastPathComponent).aside-\(number)")
      if !endings.contains(where: { FileManager.default.fileExists(atPath: name.path + $0) }) {
        return name
      }
      number += 1
    }
  }

  private static func openChecked<Content>(
    _ url: URL, _ migrator: DatabaseMigrator, _ content: (Database) throws -> Content
  ) throws -> (DatabaseQueue, Content) {
    let queue = try openOwned(url, migrator: migrator)
    do {
      if let fault = try queue.read({ try $0.namingReadFaults { try $0.integrityFault() } }) {
        throw DurableSQLiteError.damaged(path: url.path, reason: fault)
      }
      return (queue, try queue.read { try $0.namingReadFaults(content) })
    } catch {
      try queue.close()
      throw error
    }
  }

  /// Returns the reason why the file's content cannot be used; nil if the error has another cause, such as the disk or
  /// another process.
  private static func damage(_ error: any Error, _ url: URL) -> String? {
    switch error {
    case DurableSQLiteError.damaged(_, let reason): return reason
    case DurableSQLiteError.newerVersion: return "it has another schema"
    case is DurableSQLiteError: return nil
    case let error as DatabaseError:
      let reason = error.message ?? "\(error)"
      switch error.resultCode {
      case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_CANTOPEN, .SQLITE_NOMEM, .SQLITE_PERM,
        .SQLITE_AUTH:
        return nil
      // A damaged header can make SQLite report a read-only file, so the file's actual permission is checked.
      case .SQLITE_READONLY: return access(url.path, W_OK) == 0 ? reason : nil
      default: return reason
      }
    case is RowDecodingError: return "its rows are not of its schema"
    default: return nil
    }
  }
}

extension DurableDatabase {
  /// Writes a copy of the database beside it, with a numbered name like that of a file that was moved aside.
  ///
  /// - Returns: the copy; nil for a database in memory.
  @discardableResult
  public func keepCopy() throws -> URL? {
    try read { database in
      guard path != ":memory:" else { return nil }
      let copy = DurableSQLite.freeName(beside: URL(filePath: path))
      try Self.write(database, to: copy)
      return copy
    }
  }

  /// Writes a copy of the database to one file, durably.
  ///
  /// Other reads and writes wait meanwhile.
  ///
  /// - Parameters:
  ///   - url: must not exist yet. The file appears when the copy is complete and durable.
  ///   - change: changes the copy before it appears.
  /// - Throws: ``DurableSQLiteError/cannotOpen(path:reason:)`` if `url` exists; nothing is changed then.
  public func copy(to url: URL, changing change: @escaping @Sendable (Database) throws -> Void) async throws {
    try await read { database in
      guard !FileManager.default.fileExists(atPath: url.path) else {
        throw DurableSQLiteError.cannotOpen(path: url.path, reason: "it is there already; choose another name")
      }
      let partial = url.deletingLastPathComponent().appending(path: "\(url.lastPathComponent).partial")
      // A killed process may have left an incomplete file.
      try? FileManager.default.removeItem(at: partial)
      do {
        try Self.write(database, to: partial)
        let copy = try DatabaseQueue(path: partial.path)
        try copy.write(change)
        try copy.close()
        try DurableFolder.settle(partial)
        try DurableFile.move(partial.path, to: url.path)
        try DurableFolder.sync(url.deletingLastPathComponent())
      } catch {
        try? FileManager.default.removeItem(at: partial)
        throw error
      }
    }
  }

  private static func write(_ database: Database, to url: URL) throws {
    // Creates the file with mode 0600 before SQLite opens it, so that no other user can ever read it.
    Foundation.close(Foundation.open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
    try database.execute(sql: "VACUUM INTO ?", arguments: [url.path])
    try DurableFolder.settle(url)
  }
}
