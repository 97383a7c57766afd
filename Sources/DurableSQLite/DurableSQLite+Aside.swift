import Foundation
import GRDB

extension DurableSQLite {
  /// A file that could not be used and lies beside the one that took its place.
  public struct SetAside: Hashable, Sendable {
    public let url: URL
    public let reason: String
  }

  /// Opens or creates a database, checked throughout, and reads what is in it. One that cannot be read is moved aside,
  /// numbered, and a new one takes its place; that is for owners who can do without what is in it.
  ///
  /// A file with migrations unknown to `migrator` counts as one that cannot be read.
  ///
  /// - Parameter content: reads, and checks, what is in it.
  /// - Throws: ``DurableSQLiteError``: it is in use, or the disk, not the content, is to blame. Nothing was moved then.
  public static func openSettingAside<Content>(
    at url: URL, migrator: DatabaseMigrator, reading content: (Database) throws -> Content
  ) throws(DurableSQLiteError) -> (database: DurableDatabase, content: Content, aside: SetAside?) {
    try mapErrors(url) {
      try DurableFolder.make(url.deletingLastPathComponent())
      // Held throughout: whoever else looks must not take the new file for another damaged one.
      let lock = try FileLock(for: url)
      do {
        do {
          let (queue, content) = try openChecked(url, migrator, content)
          return (DurableDatabase(queue, path: url.path, lock: lock), content, nil)
        } catch {
          guard let reason = damage(error, url) else { throw error }
          let aside = freeName(beside: url)
          // The journal first: left alone, it would be taken for the new file's.
          for ending in ["-wal", "-journal", ""] {
            try DurableFile.move(url.path + ending, to: aside.path + ending)
          }
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

  /// A name beside `url` that nothing bears yet: `NAME.aside-1` and so on.
  static func freeName(beside url: URL) -> URL {
    var number = 1
    while true {
      let name = url.deletingLastPathComponent().appending(path: "\(url.lastPathComponent).aside-\(number)")
      if !["", "-wal", "-journal"].contains(where: { FileManager.default.fileExists(atPath: name.path + $0) }) {
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
      let faults = try queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check(1)") }
      guard faults == ["ok"] else {
        throw DurableSQLiteError.damaged(path: url.path, reason: faults.first ?? "it cannot be checked")
      }
      return (queue, try queue.read(content))
    } catch {
      try queue.close()
      throw error
    }
  }

  /// What is wrong with the content; nil where the error is the disk's or another owner's.
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
      // A header can claim that the file must not be written; the file system is asked instead.
      case .SQLITE_READONLY: return access(url.path, W_OK) == 0 ? reason : nil
      default: return reason
      }
    case is RowDecodingError: return "its rows are not of its schema"
    default: return nil
    }
  }
}

extension DurableDatabase {
  /// Keeps a copy of the database as it is, numbered like a file that was moved aside.
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

  /// Writes a copy of the database as it is to a file, durably. It needs no other file beside it.
  ///
  /// The database is not used meanwhile.
  ///
  /// - Parameters:
  ///   - url: must not exist yet. It appears when the copy is complete and durable.
  ///   - change: changes the copy before it appears.
  /// - Throws: ``DurableSQLiteError/cannotOpen(path:reason:)`` where it does; nothing was changed then.
  public func copy(to url: URL, changing change: @escaping @Sendable (Database) throws -> Void) async throws {
    try await read { database in
      guard !FileManager.default.fileExists(atPath: url.path) else {
        throw DurableSQLiteError.cannotOpen(path: url.path, reason: "it is there already; choose another name")
      }
      let partial = url.deletingLastPathComponent().appending(path: "\(url.lastPathComponent).partial")
      // One that a killed process has left is of no use.
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
    // Made here, so that nobody else can ever read it.
    Foundation.close(Foundation.open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
    try database.execute(sql: "VACUUM INTO ?", arguments: [url.path])
    try DurableFolder.settle(url)
  }
}
