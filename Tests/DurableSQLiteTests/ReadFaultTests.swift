import Foundation
import GRDB
import SharedFixtures
import Testing

@testable import DurableSQLite

@Suite("Databases whose files cannot be read", .timeLimit(.minutes(30)))
struct ReadFaultTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "read-fault-\(UUID().uuidString)")
  private var file: URL { folder.appending(path: "notes.sqlite") }
  private var rows: Int { 500 }

  private var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("note") { database in
      try database.execute(
        sql: """
          CREATE TABLE note (text);
          WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers LIMIT \(rows))
          INSERT INTO note SELECT hex(zeroblob(500)) FROM numbers
          """)
    }
    return migrator
  }

  private static func count(_ database: Database) throws -> Int? {
    // Pages that are in memory already are not read again.
    try database.execute(sql: "PRAGMA shrink_memory")
    return try Int.fetchOne(database, sql: "SELECT count(*) FROM note WHERE length(text) = 1000")
  }

  private func checkpoint(_ database: DurableDatabase) throws {
    try database.read { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
  }

  private func expectReadFault(_ work: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) {
    do {
      try work()
      Issue.record("The file was read.", sourceLocation: sourceLocation)
    } catch let error as DatabaseError {
      #expect((error.resultCode, error.isOfStorage) == (.SQLITE_IOERR, true), sourceLocation: sourceLocation)
      #expect(error.message?.contains("Input/output error") == true, "\(error)", sourceLocation: sourceLocation)
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
    }
  }

  @Test(
    "B9 a file or log that cannot be read is an error of the disk in reads and writes, and the same call succeeds when it can",
    arguments: [false, true])
  func readFault(isLogRead: Bool) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try DurableSQLite.open(at: file, migrator: migrator)
    if !isLogRead { try checkpoint(database) }
    try BrokenDisk.set(true, file)
    expectReadFault { _ = try database.read(Self.count) }
    expectReadFault { _ = try database.write(Self.count) }
    let (read, write) = (
      await Result { try await database.read(Self.count) }, await Result { try await database.write(Self.count) }
    )
    for result in [read, write] { expectReadFault { _ = try result.get() } }
    try BrokenDisk.set(false, file)
    #expect(try await database.write(Self.count) == rows)
    try database.close()
  }

  @Test("B9 damaged content stays damaged content, also after a read had failed")
  func damaged() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try DurableSQLite.open(at: file, migrator: migrator)
    try checkpoint(database)
    try BrokenDisk.set(true, file)
    expectReadFault { _ = try database.read(Self.count) }
    try BrokenDisk.set(false, file)
    // All pages but the first.
    let handle = try FileHandle(forUpdating: file)
    try handle.seek(toOffset: 4096)
    try handle.write(contentsOf: Data(repeating: 0xFF, count: 100 * 4096))
    #expect {
      _ = try database.read(Self.count)
    } throws: { error in
      (error as? DatabaseError).map { $0.resultCode == .SQLITE_CORRUPT && !$0.isOfStorage } ?? false
    }
    try database.close()
    try handle.close()
    let again = try DurableSQLite.openSettingAside(at: file, migrator: migrator, reading: Self.count)
    #expect(again.aside?.url.lastPathComponent == "notes.sqlite.aside-1")
    try again.database.close()
  }

  @Test("F1 a database that cannot be read is not set aside, and is opened with its content when it can be read")
  func notSetAside() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try DurableSQLite.open(at: file, migrator: migrator).close()
    // The disk breaks before the opening, or after the check of the file.
    for isBroken in [true, false] {
      try BrokenDisk.set(isBroken, file)
      #expect {
        _ = try DurableSQLite.openSettingAside(at: file, migrator: migrator) { database in
          try BrokenDisk.set(true, file)
          return try Self.count(database)
        }
      } throws: { error in
        guard case DurableSQLiteError.cannotOpen(file.path, _) = error else { return false }
        return true
      }
    }
    try BrokenDisk.set(false, file)
    let opened = try DurableSQLite.openSettingAside(at: file, migrator: migrator, reading: Self.count)
    #expect((opened.content, opened.aside) == (rows, nil))
    try opened.database.close()
  }

  @Test("F1 a page that only the check of the whole database reads does not count as damaged if it cannot be read")
  func check() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try DurableSQLite.open(at: file, migrator: migrator)
    try checkpoint(database)
    try database.read { database in
      #expect(try database.integrityFault() == nil)
      try database.execute(sql: "PRAGMA shrink_memory")
    }
    try BrokenDisk.set(true, file)
    expectReadFault { _ = try database.read { try $0.integrityFault() } }
    try BrokenDisk.set(false, file)
    #expect(try database.read { try $0.integrityFault() } == nil)
    try database.close()
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
