import DurableSQLite
import Foundation
import GRDB

/// The vault's SQLite file. The tables are described in Documentation/storage.md.
struct VaultFile: Sendable {
  let database: DurableDatabase

  /// The content of a file, not authenticated.
  struct Content: Sendable {
    /// The vault's identifier, not encrypted; nil if there is no head.
    var label: String?
    var head: Data?
    var boxes: [Data: Data] = [:]
  }

  /// Opens or creates a file.
  ///
  /// - Parameter url: the file; nil to keep it in memory.
  /// - Returns: the file and its content. If the old file could not be read, `content` has the rows that could be
  ///   salvaged from it, and `aside` is the old file.
  static func open(
    at url: URL?
  ) throws(DurableSQLiteError) -> (file: VaultFile, content: Content, aside: DurableSQLite.SetAside?) {
    guard let url else {
      return (VaultFile(database: try DurableSQLite.open(at: nil, migrator: migrator)), Content(), nil)
    }
    let opened = try DurableSQLite.openSettingAside(at: url, migrator: migrator) { database in
      try checkSchema(database)
      var content = Content()
      try read(database, into: &content)
      return content
    }
    let content = opened.aside.map { salvage($0.url) } ?? opened.content
    return (VaultFile(database: opened.database), content, opened.aside)
  }

  /// Returns whether the file, or the lock file that outlives it, exists at `url`. If the app was deleted, neither
  /// exists.
  static func exists(at url: URL) -> Bool {
    ["", ".lock"].contains { FileManager.default.fileExists(atPath: url.path + $0) }
  }

  /// Removes and writes records, and replaces the head, in one transaction.
  func commit(label: String, head: Data, removing names: [Data], putting boxes: [(name: Data, box: Data)]) throws {
    try database.write { database in
      let remove = try database.cachedStatement(sql: "DELETE FROM record WHERE name = ?")
      for name in names { try remove.execute(arguments: [name]) }
      let put = try database.cachedStatement(sql: "INSERT OR REPLACE INTO record (name, box) VALUES (?, ?)")
      for (name, box) in boxes { try put.execute(arguments: [name, box]) }
      try database.execute(
        sql: "INSERT OR REPLACE INTO head (id, vaultID, box) VALUES (1, ?, ?)", arguments: [label, head])
    }
  }

  /// Reads a record.
  ///
  /// - Parameter tag: the expected tag.
  /// - Throws: ``VaultError/changedWhileOpen`` if the record does not match the tag.
  func record(_ name: Data, _ tag: Data, _ cipher: VaultCipher) throws -> VaultRecord {
    let box = try database.read { database in
      let statement = try database.cachedStatement(sql: "SELECT box FROM record WHERE name = ?")
      return try Data.fetchOne(statement, arguments: [name])
    }
    guard let box, cipher.tag(box, as: name) == tag, let record = cipher.open(box, as: name) else {
      throw VaultError.changedWhileOpen
    }
    return record
  }

  /// Reads all records with these names.
  func records(_ tags: [Data: VaultContents.Tag], _ cipher: VaultCipher) throws -> [VaultRecord] {
    try tags.map { name, tag in try record(name, tag.bytes, cipher) }
  }

  private static func read(_ database: Database, into content: inout Content) throws {
    if let row = try Row.fetchOne(database, sql: "SELECT vaultID, box FROM head WHERE id = 1") {
      content.label = try? row.decode(String.self, forColumn: "vaultID")
      content.head = try? row.decode(Data.self, forColumn: "box")
      // A head exists, even if its column cannot be read.
      content.head = content.head ?? Data()
    }
    let rows = try Row.fetchCursor(database, sql: "SELECT name, box FROM record")
    while let row = try rows.next() {
      guard let name = row["name"].flatMap({ Data.fromDatabaseValue($0.databaseValue) }) else { continue }
      content.boxes[name] = row["box"].flatMap { Data.fromDatabaseValue($0.databaseValue) } ?? Data()
    }
  }

  /// Returns what can still be read of a file that was moved aside. Reads a copy, so that the original is not changed.
  private static func salvage(_ aside: URL) -> Content {
    var content = Content()
    let folder = FileManager.default.temporaryDirectory.appending(path: "vault-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    // Errors are ignored: unreadable rows are lost, and the file was reported as unreadable.
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      let copy = folder.appending(path: "vault.sqlite")
      for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: aside.path + ending) {
        try FileManager.default.copyItem(atPath: aside.path + ending, toPath: copy.path + ending)
      }
      let queue = try DatabaseQueue(path: copy.path)
      try queue.read { try read($0, into: &content) }
    } catch {
      return content
    }
    return content
  }

  // MARK: Schema

  private static let tables = [
    "head": "CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), vaultID TEXT NOT NULL, box BLOB NOT NULL)",
    "record": "CREATE TABLE record (name BLOB NOT NULL PRIMARY KEY, box BLOB NOT NULL) WITHOUT ROWID",
  ]

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 vault") { database in
      for sql in tables.values { try database.execute(sql: sql) }
    }
    return migrator
  }

  /// Throws if the schema differs from ``tables``. A changed table or a trigger could change the effect of statements.
  private static func checkSchema(_ database: Database) throws {
    var found: [String: String] = [:]
    for row in try Row.fetchAll(database, sql: "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL") {
      found[row["name"]] = row["sql"]
    }
    found["grdb_migrations"] = nil
    guard found == tables else { throw DurableSQLiteError.damaged(path: "", reason: "its schema was changed") }
  }
}
