import DurableSQLite
import Foundation
import GRDB

/// The vault's SQLite file. The tables are described in Documentation/storage.md.
struct VaultFile: Sendable {
  let database: DurableDatabase

  /// What a file holds, whoever wrote it.
  struct Content: Sendable {
    /// The vault id that stands in the clear; nil where there is no head.
    var label: String?
    var head: Data?
    var boxes: [Data: Data] = [:]
  }

  /// - Parameter url: nil for memory.
  /// - Returns: with it what it holds, or, of one that cannot be read, what can still be read of it.
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

  /// Whether anything of a vault's file is at `url`: the file, or the lock that outlives it. A deleted app leaves neither.
  static func leavesTrace(at url: URL) -> Bool {
    ["", ".lock"].contains { FileManager.default.fileExists(atPath: url.path + $0) }
  }

  /// One commit.
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

  /// The record of that name.
  ///
  /// - Parameter tag: what it must be.
  /// - Throws: ``VaultError/changedWhileOpen``.
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

  /// All records of those names.
  func records(_ tags: [Data: VaultContents.Tag], _ cipher: VaultCipher) throws -> [VaultRecord] {
    try tags.map { name, tag in try record(name, tag.bytes, cipher) }
  }

  private static func read(_ database: Database, into content: inout Content) throws {
    if let row = try Row.fetchOne(database, sql: "SELECT vaultID, box FROM head WHERE id = 1") {
      content.label = try? row.decode(String.self, forColumn: "vaultID")
      content.head = try? row.decode(Data.self, forColumn: "box")
      // There is one, whatever is in it.
      content.head = content.head ?? Data()
    }
    let rows = try Row.fetchCursor(database, sql: "SELECT name, box FROM record")
    while let row = try rows.next() {
      guard let name = row["name"].flatMap({ Data.fromDatabaseValue($0.databaseValue) }) else { continue }
      content.boxes[name] = row["box"].flatMap { Data.fromDatabaseValue($0.databaseValue) } ?? Data()
    }
  }

  /// What can still be read of a file that was moved aside, from a copy, so that it stays as it is.
  private static func salvage(_ aside: URL) -> Content {
    var content = Content()
    let folder = FileManager.default.temporaryDirectory.appending(path: "vault-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    // Nothing of it has to succeed: what cannot be read is lost, and the file was reported as unreadable.
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

  /// Tables that are not as they were made, and triggers, would do other things than they are asked.
  private static func checkSchema(_ database: Database) throws {
    var found: [String: String] = [:]
    for row in try Row.fetchAll(database, sql: "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL") {
      found[row["name"]] = row["sql"]
    }
    found["grdb_migrations"] = nil
    guard found == tables else { throw DurableSQLiteError.damaged(path: "", reason: "its schema was changed") }
  }
}
