import Foundation
import GRDB

extension ContentRecords {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(
        sql: """
          CREATE TABLE product (
            id TEXT PRIMARY KEY NOT NULL, wanted TEXT, current TEXT, trouble TEXT, end_reason TEXT) WITHOUT ROWID;
          CREATE TABLE part (
            product TEXT NOT NULL, digest TEXT NOT NULL, version INTEGER NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL,
            entity_tag TEXT NOT NULL, PRIMARY KEY (product, digest)) WITHOUT ROWID;
          CREATE TABLE redemption (
            transaction_id TEXT PRIMARY KEY NOT NULL, product TEXT NOT NULL, proof TEXT NOT NULL) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("2", migrate: proofsOnce)
    migrator.registerMigration("3") { database in
      try database.execute(sql: "ALTER TABLE product ADD COLUMN is_paused INTEGER NOT NULL DEFAULT 0")
    }
    return migrator
  }

  /// Stores each proof only once, adds a date to redemptions, and drops unused columns of parts. Adds the tables for
  /// files that are found without a record.
  private static func proofsOnce(_ database: Database) throws {
    let old = try Row.fetchAll(database, sql: "SELECT transaction_id, product, proof FROM redemption")
    try database.execute(
      sql: """
        DROP TABLE redemption;
        CREATE TABLE proof (digest TEXT PRIMARY KEY NOT NULL, proof TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE redemption (
          transaction_id TEXT PRIMARY KEY NOT NULL, product TEXT NOT NULL, date INTEGER NOT NULL, proof TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE part_2 (
          product TEXT NOT NULL, digest TEXT NOT NULL, entity_tag TEXT NOT NULL, PRIMARY KEY (product, digest)
        ) WITHOUT ROWID;
        INSERT INTO part_2 SELECT product, digest, entity_tag FROM part;
        DROP TABLE part;
        ALTER TABLE part_2 RENAME TO part;
        CREATE TABLE found_file (digest TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
        CREATE TABLE found_files_due (due INTEGER PRIMARY KEY NOT NULL);
        INSERT INTO found_files_due VALUES (1);
        """)
    for row in old {
      let proof: String = row["proof"]
      let digest = FileDigest(of: Data(proof.utf8)).description
      try database.execute(sql: "INSERT OR IGNORE INTO proof VALUES (?, ?)", arguments: [digest, proof])
      try database.execute(
        sql: "INSERT INTO redemption (transaction_id, product, date, proof) VALUES (?, ?, 0, ?)",
        arguments: [row["transaction_id"] as String, row["product"] as String, digest])
    }
  }
}
