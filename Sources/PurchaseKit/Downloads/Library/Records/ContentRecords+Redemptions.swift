import Foundation
import GRDB

extension ContentRecords {
  /// Returns the newest redemption of a product; nil if there is none or it cannot be read. The caller then makes a new
  /// proof.
  func redemption(of product: String) throws -> RedeemablePurchase? {
    try database.read { database in
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT transaction_id, date, proof.proof AS proof FROM redemption JOIN proof ON proof.digest = redemption.proof
          WHERE product = ? ORDER BY date DESC, length(transaction_id) DESC, transaction_id DESC
          """, arguments: [product])
      guard let row, let proof: StoreProof = try? Self.value(row["proof"]) else { return nil }
      return RedeemablePurchase(
        transactionIdentifier: row["transaction_id"], productIdentifier: product,
        date: Date(timeIntervalSince1970: Double(row["date"] as Int64) / 1000), proof: proof)
    }
  }

  /// Stores a purchase and its proof. A proof of several purchases is stored once.
  func keep(_ redemption: RedeemablePurchase) throws {
    let proof = try Self.text(redemption.proof) ?? ""
    let digest = FileDigest(of: Data(proof.utf8)).description
    try write { database in
      try database.execute(
        sql: "INSERT OR IGNORE INTO proof (digest, proof) VALUES (?, ?)", arguments: [digest, proof])
      try database.execute(
        sql: "INSERT OR REPLACE INTO redemption (transaction_id, product, date, proof) VALUES (?, ?, ?, ?)",
        arguments: [
          redemption.transactionIdentifier, redemption.productIdentifier,
          Int64((redemption.date.timeIntervalSince1970 * 1000).rounded()), digest,
        ])
      try Self.removeUnusedProofs(database)
    }
  }

  func removeRedemption(_ transactionIdentifier: String) throws {
    try write { database in
      try database.execute(
        sql: "DELETE FROM redemption WHERE transaction_id = ?", arguments: [transactionIdentifier])
      try Self.removeUnusedProofs(database)
    }
  }

  func removeRedemptions(of product: String) throws {
    try write { database in
      try database.execute(sql: "DELETE FROM redemption WHERE product = ?", arguments: [product])
      try Self.removeUnusedProofs(database)
    }
  }

  private static func removeUnusedProofs(_ database: Database) throws {
    try database.execute(sql: "DELETE FROM proof WHERE digest NOT IN (SELECT proof FROM redemption)")
  }
}
