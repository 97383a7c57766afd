import Foundation
import GRDB
import Testing

@testable import DurableSQLite

@Suite("Durable SQLite", .timeLimit(.minutes(30)))
struct DurableSQLiteTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: "durable-\(UUID().uuidString)")
  var file: URL { folder.appending(path: "books.sqlite") }

  private var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { try $0.execute(sql: "CREATE TABLE entry (id INTEGER PRIMARY KEY)") }
    return migrator
  }

  @Test("committed rows are there when the file is opened again")
  func reopens() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try DurableSQLite.open(at: file, migrator: migrator)
    try first.write { try $0.execute(sql: "INSERT INTO entry VALUES (7)") }
    try first.close()
    let second = try DurableSQLite.open(at: file, migrator: migrator)
    #expect(try second.read { try Int.fetchAll($0, sql: "SELECT id FROM entry") } == [7])
    #expect(try second.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
    #expect(try second.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 2)
  }

  @Test("the action after a commit does not run if the commit fails, and not after the next commit either")
  func failedCommit() throws {
    let database = try DurableSQLite.open(at: nil, migrator: migrator)
    try database.write {
      try $0.execute(
        sql: "CREATE TABLE part (entry INTEGER REFERENCES entry (id) DEFERRABLE INITIALLY DEFERRED)")
    }
    var done: [Int] = []
    func insert(_ part: Int) throws {
      try database.write { database in
        try database.execute(sql: "INSERT INTO part VALUES (?)", arguments: [part])
      } committed: {
        done.append(part)
      }
    }
    #expect(throws: DatabaseError.self) { try insert(1) }
    #expect(done == [])
    try database.write { try $0.execute(sql: "INSERT INTO entry VALUES (2)") }
    try insert(2)
    #expect(done == [2])
    #expect(try database.read { try Int.fetchAll($0, sql: "SELECT entry FROM part") } == [2])
  }

  @Test("another process is refused while the database is open, and accepted afterwards")
  func oneOwner() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let owner = try DurableSQLite.open(at: file, migrator: migrator)
    // Closing another descriptor of the file releases SQLite's POSIX locks on it. Our own lock must still hold.
    _ = try Data(contentsOf: file)
    #expect(throws: DurableSQLiteError.inUse(path: file.path, by: .thisProcess)) {
      try DurableSQLite.open(at: file, migrator: migrator)
    }
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    await #expect(processExitsWith: .exitCode(42)) { [path = file.path as String] in
      do {
        _ = try DurableSQLite.open(at: URL(filePath: path), migrator: DatabaseMigrator())
        exit(0)
      } catch DurableSQLiteError.inUse(_, .anotherProcess(let id)) {
        // The error names the process that has the file open: the test, whose child this is.
        exit(id == getppid() ? 42 : 1)
      }
    }
    try owner.close()
    await #expect(processExitsWith: .exitCode(43)) { [path = file.path as String] in
      do {
        _ = try DurableSQLite.open(at: URL(filePath: path), migrator: DatabaseMigrator())
        exit(0)
      } catch DurableSQLiteError.newerVersion {
        exit(43)
      }
    }
  }

  @Test("a file that is no database, or from a newer version, is refused and unchanged")
  func refusals() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let text = Data(repeating: 0x41, count: 8192)
    try text.write(to: file)
    #expect(throws: DurableSQLiteError.self) { try DurableSQLite.open(at: file, migrator: migrator) }
    #expect(try Data(contentsOf: file) == text)

    let newer = folder.appending(path: "newer.sqlite")
    var later = migrator
    later.registerMigration("2") { try $0.execute(sql: "CREATE TABLE other (id INTEGER PRIMARY KEY)") }
    try DurableSQLite.open(at: newer, migrator: later).close()
    #expect(throws: DurableSQLiteError.newerVersion(path: newer.path)) {
      try DurableSQLite.open(at: newer, migrator: migrator)
    }
  }

  @Test("a closed database refuses later calls, and waits for running ones")
  func closed() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try DurableSQLite.open(at: file, migrator: migrator)
    let written = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<500 {
        group.addTask {
          do {
            try await database.write { try $0.execute(sql: "INSERT INTO entry VALUES (?)", arguments: [number]) }
            return 1
          } catch DurableSQLiteError.closed {
            return 0
          }
        }
        if number == 250 {
          group.addTask {
            try database.close()
            return 0
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(throws: DurableSQLiteError.closed(path: file.path)) { try database.read { _ in } }
    try database.close()
    let again = try DurableSQLite.open(at: file, migrator: migrator)
    let count = try await again.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") }
    #expect(count == written)
  }
}
