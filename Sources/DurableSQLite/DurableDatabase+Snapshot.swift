import Foundation
import GRDB

extension DurableDatabase {
  /// Returns the whole database at one moment, as the bytes of one SQLite file.
  ///
  /// Uses SQLite's online backup (sqlite.org/backup.html). Other reads and writes wait meanwhile.
  public func snapshot() async throws -> Data {
    try await read { database in
      try TemporaryFile.use { file in
        let copy = try DatabaseQueue(path: file.path)
        try copy.inDatabase { copy in
          try database.backup(to: copy)
          // The copy inherits WAL from its source, and would need two more files.
          try copy.execute(sql: "PRAGMA journal_mode = DELETE")
        }
        try copy.close()
        return try Data(contentsOf: file)
      }
    }
  }
}

extension DurableSQLite {
  /// The name of the file in the errors of ``openCopy(of:migrator:)``.
  public static let snapshotName = "The snapshot"

  /// Opens a copy of a snapshot, checks all of it, and brings its schema up to date. The copy is deleted when it is
  /// closed.
  ///
  /// - Parameters:
  ///   - snapshot: the bytes of a SQLite file, as ``DurableDatabase/snapshot()`` returns them.
  ///   - migrator: the schema. A snapshot with migrations unknown to it is refused.
  /// - Throws: ``DurableSQLiteError``.
  public static func openCopy(
    of snapshot: Data, migrator: DatabaseMigrator
  ) throws(DurableSQLiteError) -> DurableDatabase {
    do {
      let copy = try TemporaryFile.use { file in
        try snapshot.write(to: file)
        return try DatabaseQueue.temporaryCopy(fromPath: file.path)
      }
      try copy.inDatabase { database in
        if let fault = try database.integrityFault() {
          throw DurableSQLiteError.damaged(
            path: snapshotName, reason: fault.split(separator: "\n").last.map(String.init) ?? fault)
        }
        if try migrator.appliedIdentifiers(database).isEmpty {
          throw DurableSQLiteError.damaged(path: snapshotName, reason: "this software did not make it")
        }
        if try migrator.hasBeenSuperseded(database) { throw DurableSQLiteError.newerVersion(path: snapshotName) }
      }
      try migrator.migrate(copy)
      try copy.inDatabase { database in
        // GRDB's own check would quote the whole row in its error.
        if let violation = try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") {
          throw DurableSQLiteError.damaged(
            path: snapshotName, reason: "a row of \(violation[0] as String? ?? "it") refers to one that is missing")
        }
      }
      return DurableDatabase(copy, path: snapshotName)
    } catch let error as DurableSQLiteError {
      throw error
    } catch let error as DatabaseError where error.isOfStorage {
      throw .cannotOpen(path: snapshotName, reason: error.message ?? "\(error)")
    } catch let error as DatabaseError {
      throw .damaged(path: snapshotName, reason: error.message ?? "\(error)")
    } catch {
      throw .cannotOpen(path: snapshotName, reason: error.localizedDescription)
    }
  }
}

/// A file in a folder that only this user can read. It is deleted after use.
private enum TemporaryFile {
  static func use<Value>(_ body: (URL) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appending(path: "snapshot-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.appending(path: "snapshot.sqlite"))
  }
}
