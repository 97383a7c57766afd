import DurableSQLite
import Foundation
import GRDB

/// Credits in a SQLite file of the app. The tables are described in Documentation/storage.md.
public final class SQLiteCreditStore: CreditStore {
  private let database: DurableDatabase

  /// Opens the file, or creates it with a balance of zero.
  ///
  /// - Parameter url: nil for memory.
  /// - Throws: `DurableSQLiteError`, or ``CreditError/damaged(balance:sumOfEntries:)`` where the balance is not the sum of
  ///   the entries.
  public init(at url: URL?) throws {
    database = try DurableSQLite.open(at: url, migrator: Self.migrator)
    try database.read { database in
      let balance = try Self.balance(database)
      let sum =
        try Int.fetchOne(
          database,
          sql: """
            SELECT (SELECT coalesce(sum(credits), 0) FROM grantEntry) - (SELECT coalesce(sum(credits), 0) FROM spendEntry)
            """) ?? 0
      guard balance == sum else { throw CreditError.damaged(balance: balance, sumOfEntries: sum) }
    }
  }

  /// Gives the file free.
  public func close() throws { try database.close() }

  public func balance() throws -> Int { try database.read(Self.balance) }

  public func grant(
    _ credits: Int, for transactionIdentifier: String, productIdentifier: String, date: Date
  ) throws -> CreditGrant {
    guard credits > 0 else { throw CreditError.amountOutOfRange(credits) }
    return try database.write { database in
      // By the identifier alone: a later version of the app may give another amount for the product, and must still
      // find what an earlier one gave.
      let isKnown = try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM grantEntry WHERE transactionID = ?)",
        arguments: [transactionIdentifier])
      if isKnown == true { return CreditGrant(isNew: false, balance: try Self.balance(database)) }
      try database.execute(
        sql: "INSERT INTO grantEntry (transactionID, productID, credits, date) VALUES (?, ?, ?, ?)",
        arguments: [transactionIdentifier, productIdentifier, credits, Self.milliseconds(date)])
      return CreditGrant(isNew: true, balance: try Self.change(by: credits, in: database))
    }
  }

  public func spend(_ credits: Int, key: UUID, date: Date) throws -> Int {
    guard credits > 0 else { throw CreditError.amountOutOfRange(credits) }
    return try database.write { database in
      let spent = try Int.fetchOne(
        database, sql: "SELECT credits FROM spendEntry WHERE key = ?", arguments: [key.uuidString])
      let balance = try Self.balance(database)
      if let spent {
        guard spent == credits else { throw CreditError.keyReused(key) }
        return balance
      }
      guard credits <= balance else { throw CreditError.insufficient(balance: balance, requested: credits) }
      try database.execute(
        sql: "INSERT INTO spendEntry (key, credits, date) VALUES (?, ?, ?)",
        arguments: [key.uuidString, credits, Self.milliseconds(date)])
      return try Self.change(by: -credits, in: database)
    }
  }

  private static func balance(_ database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT credits FROM balance") ?? 0
  }

  private static func change(by credits: Int, in database: Database) throws -> Int {
    let (sum, overflow) = try balance(database).addingReportingOverflow(credits)
    guard !overflow else { throw CreditError.amountOutOfRange(credits) }
    try database.execute(sql: "UPDATE balance SET credits = ?", arguments: [sum])
    return sum
  }

  private static func milliseconds(_ date: Date) -> Int64 {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    return Int64(exactly: milliseconds) ?? (milliseconds > 0 ? .max : .min)
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 credits") { database in
      try database.create(table: "grantEntry") { table in
        table.primaryKey("transactionID", .text)
        table.column("productID", .text).notNull()
        table.column("credits", .integer).notNull().check { $0 > 0 }
        table.column("date", .integer).notNull()
      }
      try database.create(table: "spendEntry") { table in
        table.autoIncrementedPrimaryKey("sequence")
        table.column("key", .text).notNull().unique()
        table.column("credits", .integer).notNull().check { $0 > 0 }
        table.column("date", .integer).notNull()
      }
      try database.create(table: "balance") { table in
        table.primaryKey("id", .integer).check { $0 == 1 }
        table.column("credits", .integer).notNull().check { $0 >= 0 }
      }
      try database.execute(sql: "INSERT INTO balance (id, credits) VALUES (1, 0)")
    }
    return migrator
  }
}
