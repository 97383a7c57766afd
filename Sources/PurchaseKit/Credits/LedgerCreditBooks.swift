import DurableSQLite
import Foundation
import GRDB

/// What the device knows of credits that the server keeps: when the balance was read, and the spends whose outcome is open. All
/// of it is some customer's, and of no concern to another who signs in on the device.
final class LedgerCreditBooks: Sendable {
  /// A copy of the server's balance.
  struct Copy: Hashable, Sendable {
    let balance: Int
    /// How many movements it is the sum of.
    let sequence: Int64
    let date: Date
  }

  private let database: DurableDatabase

  /// - Parameter url: nil for memory.
  init(at url: URL?) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(
        sql: """
          CREATE TABLE balance (unit TEXT PRIMARY KEY NOT NULL, balance INTEGER NOT NULL, read_at REAL NOT NULL) WITHOUT ROWID;
          CREATE TABLE pending_spend (
            key TEXT PRIMARY KEY NOT NULL, unit TEXT NOT NULL, credits INTEGER NOT NULL, customer TEXT NOT NULL,
            date REAL NOT NULL) WITHOUT ROWID;
          """)
    }
    // Whose the copies of the first version were, nobody knows; they are read again.
    migrator.registerMigration("2") { database in
      try database.execute(
        sql: """
          DROP TABLE balance;
          CREATE TABLE balance (
            customer TEXT NOT NULL, unit TEXT NOT NULL, balance INTEGER NOT NULL, sequence INTEGER NOT NULL, read_at REAL NOT NULL,
            PRIMARY KEY (customer, unit)) WITHOUT ROWID;
          """)
    }
    // A key is its customer's, also when its spend has ended.
    migrator.registerMigration("3") { database in
      try database.execute(sql: "ALTER TABLE pending_spend ADD COLUMN has_ended INTEGER NOT NULL DEFAULT 0")
    }
    database = try DurableSQLite.open(at: url, migrator: migrator)
  }

  func close() throws { try database.close() }

  func balance(of unit: String, _ customer: UUID) throws -> Copy? {
    try database.read { database in
      try Row.fetchOne(
        database, sql: "SELECT balance, sequence, read_at FROM balance WHERE customer = ? AND unit = ?",
        arguments: [customer.uuidString, unit]
      ).map {
        Copy(
          balance: $0["balance"], sequence: $0["sequence"], date: Date(timeIntervalSince1970: $0["read_at"]))
      }
    }
  }

  /// Keeps a copy, unless a later one is known: the answer to a spend that is asked for again is as old as the spend.
  func keep(_ copy: Copy, of unit: String, _ customer: UUID) throws {
    try database.write { try Self.keep(copy, of: unit, customer, in: $0) }
  }

  private static func keep(_ copy: Copy, of unit: String, _ customer: UUID, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO balance (customer, unit, balance, sequence, read_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (customer, unit) DO UPDATE
        SET balance = excluded.balance, sequence = excluded.sequence, read_at = max(balance.read_at, excluded.read_at)
        WHERE excluded.sequence >= balance.sequence
        """,
      arguments: [customer.uuidString, unit, copy.balance, copy.sequence, copy.date.timeIntervalSince1970])
  }

  // MARK: Spends

  /// Those whose outcome is open, of all customers, the oldest first.
  func spends(of unit: String) throws -> [PendingSpend] {
    try database.read { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM pending_spend WHERE unit = ? AND has_ended = 0 ORDER BY date, key",
        arguments: [unit]
      ).compactMap(Self.spend)
    }
  }

  /// Puts a spend on record before the server is asked, unless it is there.
  ///
  /// - Returns: what is on record under the key.
  func begin(_ spend: PendingSpend, of unit: String) throws -> PendingSpend {
    try database.write { database in
      let row = try Row.fetchOne(
        database, sql: "SELECT * FROM pending_spend WHERE key = ?", arguments: [spend.key.uuidString])
      if let known = row.flatMap(Self.spend) { return known }
      try database.execute(
        sql: "INSERT INTO pending_spend (key, unit, credits, customer, date) VALUES (?, ?, ?, ?, ?)",
        arguments: [
          spend.key.uuidString, unit, spend.credits, spend.customer.uuidString, spend.date.timeIntervalSince1970,
        ])
      return spend
    }
  }

  /// The server has spent: the spend is not open any more, and its key stays its customer's. The balance it left is kept
  /// with it.
  ///
  /// - Parameter customer: who the spend's customer is by now.
  func spent(_ spend: PendingSpend, _ copy: Copy, of unit: String, _ customer: UUID) throws {
    try database.write { database in
      try database.execute(
        sql: "UPDATE pending_spend SET has_ended = 1 WHERE key = ?", arguments: [spend.key.uuidString])
      try Self.keep(copy, of: unit, customer, in: database)
    }
  }

  /// The server has refused: the spend goes off the record.
  func refused(_ spend: PendingSpend) throws {
    try database.write {
      try $0.execute(
        sql: "DELETE FROM pending_spend WHERE key = ? AND has_ended = 0", arguments: [spend.key.uuidString])
    }
  }

  private static func spend(_ row: Row) -> PendingSpend? {
    guard let key = UUID(uuidString: row["key"]), let customer = UUID(uuidString: row["customer"]) else { return nil }
    return PendingSpend(
      key: key, credits: row["credits"], customer: customer, date: Date(timeIntervalSince1970: row["date"]))
  }
}
