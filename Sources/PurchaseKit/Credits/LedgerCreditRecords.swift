import DurableSQLite
import Foundation
import GRDB
import StoreModel

/// What the device knows of credits that the server keeps: when the balance was read, and the spends whose outcome is open. All
/// of it is some customer's, and of no concern to another who signs in on the device.
final class LedgerCreditRecords: Sendable {
  /// A copy of the server's balance.
  struct Copy: Hashable, Sendable {
    let balance: Int
    /// How many movements it is the sum of.
    let sequence: Int64
    let date: Date
    /// Of the server's ledger: only numbers of the same incarnation can be compared. Empty where the server is of a
    /// version that has none.
    let incarnation: String
  }

  private let database: DurableDatabase
  private let kept = LockedValue(0)

  /// The number of answers that were kept. A caller notes it when it sends a request, and so detects an answer that was kept meanwhile.
  var answersKept: Int { kept.value }

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
    // What a ledger that was restored from a backup may have forgotten is kept here, to be sent again.
    migrator.registerMigration("4") { database in
      try database.execute(
        sql: """
          ALTER TABLE balance ADD COLUMN incarnation TEXT NOT NULL DEFAULT '';
          ALTER TABLE pending_spend ADD COLUMN incarnation TEXT NOT NULL DEFAULT '';
          ALTER TABLE pending_spend ADD COLUMN owner TEXT NOT NULL DEFAULT '';
          CREATE TABLE redeemed_purchase (
            transaction_id TEXT NOT NULL, unit TEXT NOT NULL, product TEXT NOT NULL, owner TEXT NOT NULL,
            date REAL NOT NULL, proof TEXT NOT NULL, incarnation TEXT NOT NULL,
            PRIMARY KEY (transaction_id, unit)) WITHOUT ROWID;
          CREATE TABLE redeemed_proof (digest TEXT PRIMARY KEY NOT NULL, proof BLOB NOT NULL);
          """)
    }
    database = try DurableSQLite.open(at: url, migrator: migrator)
  }

  func close() throws { try database.close() }

  func balance(of unit: String, _ customer: UUID) throws -> Copy? {
    try database.read { database in
      try Row.fetchOne(
        database, sql: "SELECT balance, sequence, read_at, incarnation FROM balance WHERE customer = ? AND unit = ?",
        arguments: [customer.uuidString, unit]
      ).map {
        Copy(
          balance: $0["balance"], sequence: $0["sequence"], date: Date(timeIntervalSince1970: $0["read_at"]),
          incarnation: $0["incarnation"])
      }
    }
  }

  /// Keeps a copy, unless a later one is known: the answer to a spend that is asked for again is as old as the spend.
  ///
  /// - Parameter answers: ``answersKept`` when the request was sent.
  /// - Returns: false if the copy is of another incarnation than the known one, and an answer was kept since the request
  ///   was sent. Which of the two incarnations is the newer is not known then; the server has to be asked again.
  func keep(_ copy: Copy, of unit: String, _ customer: UUID, sentAfter answers: Int) throws -> Bool {
    try database.write { try keep(copy, of: unit, customer, sentAfter: answers, in: $0) }
  }

  private func keep(
    _ copy: Copy, of unit: String, _ customer: UUID, sentAfter answers: Int, in database: Database
  ) throws -> Bool {
    let known = try String.fetchOne(
      database, sql: "SELECT incarnation FROM balance WHERE customer = ? AND unit = ?",
      arguments: [customer.uuidString, unit])
    let isOther = !copy.incarnation.isEmpty && known.map { $0 != copy.incarnation } ?? true
    if isOther, known?.isEmpty == false, answers != kept.value { return false }
    try database.execute(
      sql: """
        INSERT INTO balance (customer, unit, balance, sequence, read_at, incarnation) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (customer, unit) DO UPDATE
        SET balance = excluded.balance, sequence = excluded.sequence, read_at = max(balance.read_at, excluded.read_at),
          incarnation = CASE WHEN excluded.incarnation = '' THEN balance.incarnation ELSE excluded.incarnation END
        WHERE \(isOther ? "TRUE" : "excluded.sequence >= balance.sequence")
        """,
      arguments: [
        customer.uuidString, unit, copy.balance, copy.sequence, copy.date.timeIntervalSince1970, copy.incarnation,
      ])
    if isOther, known?.isEmpty ?? true {
      // The first incarnation that is known: the server has confirmed earlier spends in it, or in none.
      try database.execute(
        sql: "UPDATE pending_spend SET incarnation = ? WHERE incarnation = '' AND has_ended = 1",
        arguments: [copy.incarnation])
    }
    kept.withLock { $0 += 1 }
    return true
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

  /// Records a spend before the server is asked, unless it is recorded already.
  ///
  /// - Parameter owner: see ``PurchaseServerClient/currentIdentity()``.
  /// - Returns: what is recorded under the key.
  func begin(_ spend: PendingSpend, of unit: String, owner: String) throws -> PendingSpend {
    try database.write { database in
      let row = try Row.fetchOne(
        database, sql: "SELECT * FROM pending_spend WHERE key = ?", arguments: [spend.key.uuidString])
      if let known = row.flatMap(Self.spend) { return known }
      try database.execute(
        sql: """
          INSERT INTO pending_spend (key, unit, credits, customer, date, owner, incarnation)
          VALUES (?, ?, ?, ?, ?, ?,
            COALESCE((SELECT incarnation FROM balance WHERE customer = ? AND unit = ?), ''))
          """,
        arguments: [
          spend.key.uuidString, unit, spend.credits, spend.customer.uuidString, spend.date.timeIntervalSince1970, owner,
          spend.customer.uuidString, unit,
        ])
      return spend
    }
  }

  /// The server has spent: the spend is not open any more, and its key stays its customer's. The balance it left is kept
  /// with it.
  ///
  /// - Parameters:
  ///   - customer: who the spend's customer is by now.
  ///   - answers: ``answersKept`` when the request was sent.
  /// - Returns: false if the balance has to be read again, see ``keep(_:of:_:sentAfter:)``.
  func spent(
    _ spend: PendingSpend, _ copy: Copy, of unit: String, _ customer: UUID, sentAfter answers: Int
  ) throws -> Bool {
    try database.write { database in
      try database.execute(
        sql: "UPDATE pending_spend SET has_ended = 1, customer = ?, incarnation = ? WHERE key = ?",
        arguments: [customer.uuidString, copy.incarnation, spend.key.uuidString])
      return try keep(copy, of: unit, customer, sentAfter: answers, in: database)
    }
  }

  /// The server has refused: the spend goes off the record.
  func refused(_ spend: PendingSpend) throws {
    try database.write {
      try $0.execute(
        sql: "DELETE FROM pending_spend WHERE key = ? AND has_ended = 0", arguments: [spend.key.uuidString])
    }
  }

  // MARK: What a restored ledger may have forgotten

  /// Keeps a purchase that was redeemed, and its proof.
  ///
  /// - Parameters:
  ///   - incarnation: the one that was known before the server was asked; empty for none.
  ///   - oldest: purchases from before it are let go.
  func keep(
    _ purchase: RedeemablePurchase, of unit: String, owner: String, incarnation: String, oldest: Date
  ) throws {
    let proof = try JSONEncoder().encode(purchase.proof)
    let digest = FileDigest(of: proof).description
    try database.write { database in
      try database.execute(
        sql: "INSERT INTO redeemed_proof (digest, proof) VALUES (?, ?) ON CONFLICT DO NOTHING",
        arguments: [digest, proof])
      try database.execute(
        sql: """
          INSERT INTO redeemed_purchase (transaction_id, unit, product, owner, date, proof, incarnation)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (transaction_id, unit) DO UPDATE
          SET owner = excluded.owner, proof = excluded.proof, incarnation = excluded.incarnation
          """,
        arguments: [
          purchase.transactionIdentifier, unit, purchase.productIdentifier, owner,
          purchase.date.timeIntervalSince1970, digest, incarnation,
        ])
      try database.execute(
        sql: "DELETE FROM redeemed_purchase WHERE date < ?", arguments: [oldest.timeIntervalSince1970])
      try database.execute(
        sql: "DELETE FROM redeemed_proof WHERE digest NOT IN (SELECT proof FROM redeemed_purchase)")
    }
  }

  /// The purchases and spends of one owner that the server has not confirmed in `incarnation`, the oldest first.
  ///
  /// - Parameters:
  ///   - isOwn: whether a row is of the present customer: by its owner, or, in rows of before owners were recorded, by
  ///     its customer.
  ///   - oldest: spends from before it are left out, as their purchases are.
  func unconfirmed(
    of unit: String, in incarnation: String, oldest: Date, isOwn: (_ owner: String, _ customer: UUID?) -> Bool
  ) throws -> (purchases: [RedeemablePurchase], spends: [PendingSpend]) {
    try database.read { database in
      let purchases = try Row.fetchAll(
        database,
        sql: """
          SELECT p.*, r.proof AS data FROM redeemed_purchase p JOIN redeemed_proof r ON r.digest = p.proof
          WHERE p.unit = ? AND p.incarnation <> ? ORDER BY p.date, p.transaction_id
          """, arguments: [unit, incarnation]
      ).filter { isOwn($0["owner"], nil) }
      let spends = try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM pending_spend WHERE unit = ? AND incarnation NOT IN ('', ?) AND date >= ? ORDER BY date, key
          """, arguments: [unit, incarnation, oldest.timeIntervalSince1970]
      ).filter { isOwn($0["owner"], UUID(uuidString: $0["customer"])) }
      return (
        try purchases.map { row in
          RedeemablePurchase(
            transactionIdentifier: row["transaction_id"], productIdentifier: row["product"],
            date: Date(timeIntervalSince1970: row["date"]),
            proof: try JSONDecoder().decode(StoreProof.self, from: row["data"]))
        }, spends.compactMap(Self.spend)
      )
    }
  }

  /// The server has the purchase in `incarnation`, or owes nothing for it.
  func confirm(_ purchase: RedeemablePurchase, of unit: String, in incarnation: String) throws {
    try database.write {
      try $0.execute(
        sql: "UPDATE redeemed_purchase SET incarnation = ? WHERE transaction_id = ? AND unit = ?",
        arguments: [incarnation, purchase.transactionIdentifier, unit])
    }
  }

  private static func spend(_ row: Row) -> PendingSpend? {
    guard let key = UUID(uuidString: row["key"]), let customer = UUID(uuidString: row["customer"]) else { return nil }
    return PendingSpend(
      key: key, credits: row["credits"], customer: customer, date: Date(timeIntervalSince1970: row["date"]))
  }
}
