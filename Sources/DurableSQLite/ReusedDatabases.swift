import GRDB
import StoreModel

/// Databases in memory that are used again. Making one takes tens of milliseconds, because its migrations run and its
/// statements are compiled; emptying one takes a fraction of a millisecond, and keeps its compiled statements.
///
/// A database that is used again is the same as a new one: `ReusedDatabaseTests` compares all of its contents.
final class ReusedDatabases: Sendable {
  static let shared = ReusedDatabases()

  /// The maximum number of databases that wait for another use, of each kind.
  static let largestCount = 16

  private struct Kind: Sendable {
    var contents: NewContents
    var idle: [DatabaseQueue] = []
  }

  private let kinds = LockedValue<[String: Kind]>([:])

  /// Returns an empty database with the schema of `migrator`.
  ///
  /// - Parameter name: the name of its kind. All databases of a kind have the same schema.
  func take(_ name: String, _ migrator: DatabaseMigrator) throws -> DatabaseQueue {
    if let idle = kinds.withLock({ $0[name]?.idle.popLast() }) { return idle }
    let queue = try DatabaseQueue()
    try migrator.migrate(queue)
    let isKnown = kinds.withLock { $0[name] != nil }
    if !isKnown {
      let contents = try queue.unsafeRead { try NewContents($0) }
      kinds.withLock { $0[name] = $0[name] ?? Kind(contents: contents) }
    }
    return queue
  }

  /// Keeps a database for another use, or closes it.
  func put(_ queue: DatabaseQueue, _ name: String) {
    guard let contents = kinds.withLock({ $0[name]?.contents }),
      (try? queue.writeWithoutTransaction({ try contents.restore(in: $0) })) != nil
    else {
      try? queue.close()
      return
    }
    let isKept = kinds.withLock { kinds in
      guard kinds[name].map({ $0.idle.count < Self.largestCount }) == true else { return false }
      kinds[name]?.idle.append(queue)
      return true
    }
    if !isKept { try? queue.close() }
  }
}

/// The contents of a database after its migrations.
private struct NewContents: Sendable {
  private struct Table: Sendable {
    let name: String
    let columns: [String]
    let rows: [[DatabaseValue]]
  }

  /// Each table comes after the tables that it references.
  private let tables: [Table]

  init(_ database: Database) throws {
    var names = try String.fetchAll(
      database,
      sql: """
        SELECT name FROM sqlite_master
        WHERE type = 'table' AND name NOT IN ('grdb_migrations', 'sqlite_stat1', 'sqlite_stat4') ORDER BY rowid
        """)
    var ordered: [String] = []
    while !names.isEmpty {
      let free = try names.filter { name in
        try database.foreignKeys(on: name).allSatisfy {
          $0.destinationTable == name || ordered.contains($0.destinationTable)
        }
      }
      guard !free.isEmpty else {
        throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "tables reference each other: \(names)")
      }
      ordered += free
      names.removeAll(where: free.contains)
    }
    tables = try ordered.map { name in
      let columns = try database.columns(in: name).map(\.name)
      let rows = try Row.fetchAll(database, sql: "SELECT * FROM \(name.quotedDatabaseIdentifier)")
      return Table(name: name, columns: columns, rows: rows.map { Array($0.databaseValues) })
    }
  }

  /// Makes the contents of a database these again.
  func restore(in database: Database) throws {
    try database.inTransaction {
      for table in tables.reversed() {
        let name = table.name.quotedDatabaseIdentifier
        // GRDB forgets compiled deletions when an observer is added or removed, so that they are compiled again each time.
        let exists = try database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM \(name))")
        guard try Bool.fetchOne(exists) == true else { continue }
        try database.cachedStatement(sql: "DELETE FROM \(name)").execute()
      }
      for table in tables where table.name != Self.sequences { try insert(table, in: database) }
      // The insertions above have changed it.
      if let sequences = tables.first(where: { $0.name == Self.sequences }) {
        try database.cachedStatement(sql: "DELETE FROM sqlite_sequence").execute()
        try insert(sequences, in: database)
      }
      return .commit
    }
  }

  /// SQLite's table of the last numbers of tables with AUTOINCREMENT.
  private static let sequences = "sqlite_sequence"

  private func insert(_ table: Table, in database: Database) throws {
    guard !table.rows.isEmpty else { return }
    let columns = table.columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    let places = table.columns.map { _ in "?" }.joined(separator: ", ")
    let statement = try database.cachedStatement(
      sql: "INSERT INTO \(table.name.quotedDatabaseIdentifier) (\(columns)) VALUES (\(places))")
    for row in table.rows { try statement.execute(arguments: StatementArguments(row)) }
  }
}
