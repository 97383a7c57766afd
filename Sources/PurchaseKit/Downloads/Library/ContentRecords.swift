import DurableSQLite
import Foundation
import GRDB

/// What is known of products' files and of the proofs behind them, durably.
final class ContentRecords: Sendable {
  /// What is known of a product.
  struct Product: Sendable {
    var wanted: ContentVersion?
    var current: ContentVersion?
    /// What went wrong when it was last fetched.
    var trouble: ContentError?
    /// Why it is no longer delivered.
    var endReason: String?
  }

  /// A part of a file.
  struct Part: Hashable, Sendable {
    let productIdentifier: String
    let digest: FileDigest
    let version: Int64
    let name: String
    let size: Int64
    /// Of the answer the part began with.
    let entityTag: String
  }

  private let database: DurableDatabase

  /// One that cannot be read is moved aside: what it knew, the server knows too.
  init(at url: URL) throws {
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
    database = try DurableSQLite.openSettingAside(at: url, migrator: migrator, reading: { _ in }).database
  }

  func close() throws { try database.close() }

  // MARK: Products

  func product(_ id: String) throws -> Product {
    try database.read { database in
      let row = try Row.fetchOne(database, sql: "SELECT * FROM product WHERE id = ?", arguments: [id])
      return try row.map(Self.product) ?? Product()
    }
  }

  func products() throws -> [String: Product] {
    try database.read { database in
      let rows = try Row.fetchAll(database, sql: "SELECT * FROM product")
      return Dictionary(uniqueKeysWithValues: try rows.map { ($0["id"] as String, try Self.product($0)) })
    }
  }

  /// Changes what is known of a product, in one commit.
  func update(_ id: String, _ change: (inout Product) -> Void) throws {
    try database.write { database in
      let row = try Row.fetchOne(database, sql: "SELECT * FROM product WHERE id = ?", arguments: [id])
      var product = try row.map(Self.product) ?? Product()
      change(&product)
      try database.execute(
        sql: """
          INSERT INTO product (id, wanted, current, trouble, end_reason) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET wanted = excluded.wanted, current = excluded.current,
            trouble = excluded.trouble, end_reason = excluded.end_reason
          """,
        arguments: [
          id, try Self.text(product.wanted), try Self.text(product.current), try Self.text(product.trouble),
          product.endReason,
        ])
    }
  }

  private static func product(_ row: Row) throws -> Product {
    Product(
      wanted: try value(row["wanted"]), current: try value(row["current"]), trouble: try value(row["trouble"]),
      endReason: row["end_reason"])
  }

  // MARK: Parts

  func part(of product: String, _ digest: FileDigest) throws -> Part? {
    try database.read { database in
      let row = try Row.fetchOne(
        database, sql: "SELECT * FROM part WHERE product = ? AND digest = ?",
        arguments: [product, digest.description])
      return row.map { row in
        Part(
          productIdentifier: product, digest: digest, version: row["version"], name: row["name"], size: row["size"],
          entityTag: row["entity_tag"])
      }
    }
  }

  func keep(_ part: Part) throws {
    try database.write { database in
      try database.execute(
        sql: "INSERT OR REPLACE INTO part (product, digest, version, name, size, entity_tag) VALUES (?, ?, ?, ?, ?, ?)",
        arguments: [
          part.productIdentifier, part.digest.description, part.version, part.name, part.size, part.entityTag,
        ])
    }
  }

  func removePart(of product: String, _ digest: FileDigest) throws {
    try database.write { database in
      try database.execute(
        sql: "DELETE FROM part WHERE product = ? AND digest = ?", arguments: [product, digest.description])
    }
  }

  // MARK: Proofs

  func redemption(of product: String) throws -> KeptRedemption? {
    try database.read { database in
      let row = try Row.fetchOne(
        database, sql: "SELECT * FROM redemption WHERE product = ? ORDER BY transaction_id DESC", arguments: [product])
      guard let row, let proof: StoreProof = try Self.value(row["proof"]) else { return nil }
      return KeptRedemption(
        transactionIdentifier: row["transaction_id"], productIdentifier: row["product"], proof: proof)
    }
  }

  func keep(_ redemption: KeptRedemption) throws {
    try database.write { database in
      try database.execute(
        sql: "INSERT OR REPLACE INTO redemption (transaction_id, product, proof) VALUES (?, ?, ?)",
        arguments: [
          redemption.transactionIdentifier, redemption.productIdentifier, try Self.text(redemption.proof),
        ])
    }
  }

  func removeRedemptions(of product: String) throws {
    try database.write { database in
      try database.execute(sql: "DELETE FROM redemption WHERE product = ?", arguments: [product])
    }
  }

  // MARK: Values

  private static func value<Value: Decodable>(_ text: String?) throws -> Value? {
    try text.map { try JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
  }

  private static func text(_ value: (some Encodable)?) throws -> String? {
    try value.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
  }
}
