import Foundation
import GRDB
import Testing

@testable import DurableSQLite

@Suite("Snapshots of a durable database", .timeLimit(.minutes(30)))
struct SnapshotTests {
  private var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(sql: "CREATE TABLE entry (id INTEGER PRIMARY KEY)")
      try database.execute(sql: "CREATE TABLE note (entry INTEGER NOT NULL REFERENCES entry)")
    }
    return migrator
  }

  /// Opens a database in `folder`, or in memory if it is nil.
  private func database(in folder: URL? = nil) throws -> DurableDatabase {
    let database = try DurableSQLite.open(at: folder?.appending(path: "books.sqlite"), migrator: migrator)
    try database.write { try $0.execute(sql: "INSERT INTO entry VALUES (7)") }
    return database
  }

  private func entries(_ database: DurableDatabase) throws -> [Int] {
    try database.read { try Int.fetchAll($0, sql: "SELECT id FROM entry") }
  }

  @Test("a snapshot contains what was committed, and leaves the database unchanged", arguments: [true, false])
  func roundTrip(inMemory: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "durable-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try database(in: inMemory ? nil : folder)
    let snapshot = try await database.snapshot()
    try await database.write { try $0.execute(sql: "INSERT INTO entry VALUES (8)") }
    let copy = try DurableSQLite.openCopy(of: snapshot, migrator: migrator)
    #expect(try entries(copy) == [7])
    try await copy.write { try $0.execute(sql: "DELETE FROM entry") }
    #expect(try entries(database) == [7, 8])
    if !inMemory {
      #expect(try await database.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
    }
    try copy.close()
    try database.close()
  }

  @Test("each of many snapshots taken during writes contains whole commits only")
  func consistent() async throws {
    let database = try database()
    let migrator = migrator
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 100..<200 {
        group.addTask {
          try await database.write { database in
            try database.execute(sql: "INSERT INTO entry VALUES (?)", arguments: [number])
            try database.execute(sql: "INSERT INTO note VALUES (?)", arguments: [number])
          }
        }
        guard number % 20 == 0 else { continue }
        group.addTask {
          let copy = try DurableSQLite.openCopy(of: try await database.snapshot(), migrator: migrator)
          let (entries, notes) = try await copy.read { database in
            (
              try Int.fetchAll(database, sql: "SELECT id FROM entry WHERE id >= 100 ORDER BY 1"),
              try Int.fetchAll(database, sql: "SELECT entry FROM note ORDER BY 1")
            )
          }
          #expect(entries == notes)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("an invalid snapshot, or one of a newer version, is refused")
  func refusals() async throws {
    let snapshot = try await database().snapshot()
    for data in [Data(), Data("tea".utf8), snapshot.prefix(snapshot.count - 4096)] {
      #expect(throws: DurableSQLiteError.self) { try DurableSQLite.openCopy(of: data, migrator: migrator) }
    }
    var later = migrator
    later.registerMigration("2") { try $0.execute(sql: "CREATE TABLE other (id INTEGER PRIMARY KEY)") }
    let newer = try await DurableSQLite.open(at: nil, migrator: later).snapshot()
    #expect(throws: DurableSQLiteError.newerVersion(path: DurableSQLite.snapshotName)) {
      try DurableSQLite.openCopy(of: newer, migrator: migrator)
    }
    // An older snapshot is migrated.
    let updated = try DurableSQLite.openCopy(of: snapshot, migrator: later)
    #expect(try await updated.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM other") } == 0)
  }

  @Test("a closed database gives no snapshot")
  func closed() async throws {
    let database = try database()
    try database.close()
    await #expect(throws: DurableSQLiteError.closed(path: ":memory:")) { try await database.snapshot() }
  }
}
