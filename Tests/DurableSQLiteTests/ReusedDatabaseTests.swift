import GRDB
import StoreModel
import Testing

@testable import DurableSQLite

@Suite("Databases in memory that are used again", .timeLimit(.minutes(30)))
struct ReusedDatabaseTests {
  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      // Declared before what it references, as after a migration that has rebuilt a table.
      try database.execute(
        sql: """
          CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent(id));
          CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, above INTEGER REFERENCES parent(id));
          CREATE TABLE setting (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
          INSERT INTO setting VALUES ('kept', x'00ff'), ('nothing', NULL);
          INSERT INTO parent (name) VALUES ('first');
          """)
    }
    return migrator
  }

  /// All that a database contains.
  private static func contents(_ database: DurableDatabase) throws -> [String] {
    try database.read { database in
      let tables = try String.fetchAll(
        database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      return try String.fetchAll(database, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
        + tables.flatMap { table in
          try Row.fetchAll(database, sql: "SELECT * FROM \(table)").map { "\(table): \($0)" }
        }
    }
  }

  @Test("A database that is used again has the contents of a new one, and no observers")
  func reuse() throws {
    let kind = "ReusedDatabaseTests.reuse"
    let first = try DurableSQLite.open(at: nil, migrator: Self.migrator, reusedAs: kind)
    let new = try Self.contents(first)
    let observer = Observer()
    first.add(observer)
    try first.write { database in
      try database.execute(
        sql: """
          INSERT INTO parent (name, above) VALUES ('second', 1);
          INSERT INTO child (parent) VALUES (2);
          DELETE FROM setting WHERE name = 'nothing';
          UPDATE setting SET value = 'changed';
          """)
    }
    let commits = observer.count
    #expect(commits > 0)
    try first.close()
    let second = try DurableSQLite.open(at: nil, migrator: Self.migrator, reusedAs: kind)
    #expect(try Self.contents(second) == new)
    try second.write { try $0.execute(sql: "INSERT INTO parent (name) VALUES ('third')") }
    // The number continues that of a new database.
    #expect(try second.read { try Int.fetchOne($0, sql: "SELECT max(id) FROM parent") } == 2)
    #expect(observer.count == commits)
    #expect(throws: DurableSQLiteError.self) { try first.read { _ in } }
  }

  @Test("Two that are open at once are different, and kinds do not meet")
  func different() throws {
    let kind = "ReusedDatabaseTests.different"
    let databases = try (0..<3).map { _ in try DurableSQLite.open(at: nil, migrator: Self.migrator, reusedAs: kind) }
    for (number, database) in databases.enumerated() {
      try database.write { try $0.execute(sql: "INSERT INTO parent (name) VALUES (?)", arguments: ["\(number)"]) }
    }
    for (number, database) in databases.enumerated() {
      let names = try database.read { try String.fetchAll($0, sql: "SELECT name FROM parent ORDER BY id") }
      #expect(names == ["first", "\(number)"])
    }
    for database in databases { try database.close() }
    let other = try DurableSQLite.open(at: nil, migrator: DatabaseMigrator(), reusedAs: kind + ".other")
    #expect(try other.read { try $0.tableExists("parent") } == false)
  }

  private final class Observer: TransactionObserver, Sendable {
    private let commits = LockedValue(0)
    var count: Int { commits.value }
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ database: Database) { commits.withLock { $0 += 1 } }
    func databaseDidRollback(_ database: Database) {}
  }
}
