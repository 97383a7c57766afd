import DurableSQLite
import Foundation
import GRDB
import StoreModel

/// The device's records of credits that the server stores: copies of balances, spends, and redeemed purchases. Each row
/// belongs to one customer, and other customers of the device do not see it.
final class LedgerCreditRecords: Sendable {
  /// A copy of the server's balance.
  struct Copy: Hashable, Sendable {
    let balance: Int
    /// The number of movements that add up to the balance.
    let sequence: Int64
    let date: Date
    /// Identifies the server's ledger. Only sequence numbers of the same incarnation can be compared. Empty if the server is
    /// too old to send it.
    let incarnation: String
  }

  private let database: DurableDatabase
  private let kept = LockedValue(0)

  /// The number of answers that were stored. A caller reads it when it sends a request, to detect later that another
  /// answer was stored meanwhile.
  var answersKept: Int { kept.value }

  /// - Parameter url: the file; nil to keep the records in memory.
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
    // The first version did not record the customer of a balance. The balances are read from the server again.
    migrator.registerMigration("2") { database in
      try database.execute(
        sql: """
          DROP TABLE balance;
          CREATE TABLE balance (
            customer TEXT NOT NULL, unit TEXT NOT NULL, balance INTEGER NOT NULL, sequence INTEGER NOT NULL, read_at REAL NOT NULL,
            PRIMARY KEY (customer, unit)) WITHOUT ROWID;
          """)
    }
    // A key stays bound to its customer, also after its spend has ended.
    migrator.registerMigration("3") { database in
      try database.execute(sql: "ALTER TABLE pending_spend ADD COLUMN has_ended INTEGER NOT NULL DEFAULT 0")
    }
    // Purchases and spends are kept, to be sent again to a ledger that was restored from a backup.
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
    // Balances of an earlier registration of the device are told apart from those of other signed-in customers. An owner
    // that no spend names is recorded with the next answer of the server.
    migrator.registerMigration("5") { database in
      try database.execute(
        sql: """
          ALTER TABLE balance ADD COLUMN owner TEXT NOT NULL DEFAULT '';
          UPDATE balance SET owner = COALESCE(
            (SELECT max(s.owner) FROM pending_spend s WHERE s.customer = balance.customer), '');
          """)
    }
    database = try DurableSQLite.open(at: url, migrator: migrator)
  }

  func close() throws { try database.close() }

  func balance(of unit: String, _ customer: UUID) throws -> Copy? {
    try database.read { database in
      try Row.fetchOne(
        database, sql: "SELECT * FROM balance WHERE customer = ? AND unit = ?", arguments: [customer.uuidString, unit]
      ).map(Self.copy)
    }
  }

  /// Returns the positive balances of all customers with this owner; see ``PurchaseServerClient/Identity``.
  func positiveBalances(of unit: String, owner: String) throws -> [UUID: Copy] {
    let rows = try database.read { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM balance WHERE unit = ? AND owner = ? AND balance > 0", arguments: [unit, owner])
    }
    return Dictionary(
      uniqueKeysWithValues: rows.compactMap { row in
        UUID(uuidString: row["customer"]).map { ($0, Self.copy(row)) }
      })
  }

  /// Deletes the balances of these customers.
  func removeBalances(of unit: String, _ customers: some Sequence<UUID>) throws {
    try database.write { database in
      for customer in customers {
        try database.execute(
          sql: "DELETE FROM balance WHERE unit = ? AND customer = ?", arguments: [unit, customer.uuidString])
      }
    }
  }

  private static func copy(_ row: Row) -> Copy {
    Copy(
      balance: row["balance"], sequence: row["sequence"], date: Date(timeIntervalSince1970: row["read_at"]),
      incarnation: row["incarnation"])
  }

  /// Stores a copy, unless a newer one is stored. A copy can be older than the stored one: for example, the response to a
  /// repeated spend contains the balance after the original spend.
  ///
  /// - Parameter answers: ``answersKept`` when the request was sent.
  /// - Returns: false if the copy is of another incarnation than the stored one, and an answer was stored since the
  ///   request was sent. It is then unknown which incarnation is newer, and the balance must be requested again.
  func keep(
    _ copy: Copy, of unit: String, _ identity: PurchaseServerClient.Identity, sentAfter answers: Int
  ) throws -> Bool {
    try database.write { try keep(copy, of: unit, identity, sentAfter: answers, in: $0) }
  }

  /// - Parameter identity: the owner is empty if it is not known.
  private func keep(
    _ copy: Copy, of unit: String, _ identity: PurchaseServerClient.Identity, sentAfter answers: Int,
    in database: Database
  ) throws -> Bool {
    let customer = identity.customer
    let known = try String.fetchOne(
      database, sql: "SELECT incarnation FROM balance WHERE customer = ? AND unit = ?",
      arguments: [customer.uuidString, unit])
    let isOther = !copy.incarnation.isEmpty && known.map { $0 != copy.incarnation } ?? true
    if isOther, known?.isEmpty == false, answers != kept.value { return false }
    try database.execute(
      sql: """
        INSERT INTO balance (customer, unit, balance, sequence, read_at, incarnation, owner) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (customer, unit) DO UPDATE
        SET balance = excluded.balance, sequence = excluded.sequence, read_at = max(balance.read_at, excluded.read_at),
          incarnation = CASE WHEN excluded.incarnation = '' THEN balance.incarnation ELSE excluded.incarnation END,
          owner = CASE WHEN excluded.owner = '' THEN balance.owner ELSE excluded.owner END
        WHERE \(isOther ? "TRUE" : "excluded.sequence >= balance.sequence")
        """,
      arguments: [
        customer.uuidString, unit, copy.balance, copy.sequence, copy.date.timeIntervalSince1970, copy.incarnation,
        identity.owner,
      ])
    if isOther, known?.isEmpty ?? true {
      // This is the first incarnation that the device knows. Spends that ended without one, for example because the server
      // was too old to send incarnations, count as confirmed in this one.
      try database.execute(
        sql: "UPDATE pending_spend SET incarnation = ? WHERE incarnation = '' AND has_ended = 1",
        arguments: [copy.incarnation])
    }
    kept.withLock { $0 += 1 }
    return true
  }

  // MARK: Spends

  /// Returns the pending spends of all customers, oldest first.
  func spends(of unit: String) throws -> [PendingSpend] {
    try database.read { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM pending_spend WHERE unit = ? AND has_ended = 0 ORDER BY date, key",
        arguments: [unit]
      ).compactMap(Self.spend)
    }
  }

  /// Records a spend before the request is sent, unless its key is recorded already.
  ///
  /// - Parameter owner: see ``PurchaseServerClient/currentIdentity()``.
  /// - Returns: the spend that is recorded under the key.
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

  /// Records that the server has spent the credits, and the balance after that. The spend is no longer pending; its key
  /// stays bound to its customer.
  ///
  /// - Parameters:
  ///   - customer: the spend's customer, or the customer that the spend's customer has joined.
  ///   - answers: ``answersKept`` when the request was sent.
  /// - Returns: false if the balance must be requested again; see ``keep(_:of:_:sentAfter:)``.
  func spent(
    _ spend: PendingSpend, _ copy: Copy, of unit: String, _ customer: UUID, sentAfter answers: Int
  ) throws -> Bool {
    try database.write { database in
      try database.execute(
        sql: "UPDATE pending_spend SET has_ended = 1, customer = ?, incarnation = ? WHERE key = ?",
        arguments: [customer.uuidString, copy.incarnation, spend.key.uuidString])
      let owner = try String.fetchOne(
        database, sql: "SELECT owner FROM pending_spend WHERE key = ?", arguments: [spend.key.uuidString])
      return try keep(
        copy, of: unit, PurchaseServerClient.Identity(customer: customer, owner: owner ?? ""), sentAfter: answers,
        in: database)
    }
  }

  /// Deletes a spend that the server has refused.
  func refused(_ spend: PendingSpend) throws {
    try database.write {
      try $0.execute(
        sql: "DELETE FROM pending_spend WHERE key = ? AND has_ended = 0", arguments: [spend.key.uuidString])
    }
  }

  // MARK: Rows for a restored ledger

  /// Stores a redeemed purchase and its proof.
  ///
  /// - Parameters:
  ///   - incarnation: the incarnation that was known before the request; empty for none.
  ///   - retention: purchases that are so many seconds older than the newest one are deleted. Both dates are the store's,
  ///     because the device's clock may be wrong for a while.
  func keep(
    _ purchase: RedeemablePurchase, of unit: String, owner: String, incarnation: String, retention: TimeInterval
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
        sql: "DELETE FROM redeemed_purchase WHERE date < (SELECT max(date) FROM redeemed_purchase) - ?",
        arguments: [retention])
      try database.execute(
        sql: "DELETE FROM redeemed_proof WHERE digest NOT IN (SELECT proof FROM redeemed_purchase)")
    }
  }

  /// Returns the purchases and spends of one owner that were recorded under another incarnation than `incarnation`,
  /// oldest first. The server may have lost them. Spends without an incarnation are omitted.
  ///
  /// - Parameters:
  ///   - isOwn: returns whether a row belongs to the current customer. The row's owner decides. A row that is older
  ///     than the owner column has no owner; then the row's customer decides.
  ///   - oldest: spends from before this date are omitted.
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

  /// Records that the server has the purchase in `incarnation`, or refuses it permanently.
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
