import Foundation

extension Ledger {
  /// Returns the id of this ledger. The first call creates the id. It never changes, and copies of the ledger have the
  /// same id. It is stored in the row `id` of `ledger_fact`.
  ///
  /// - Throws: ``LedgerDatabaseError``.
  public func identity() async throws -> UUID {
    let known = try await database.read { try $0.identity() }
    if let known { return known }
    let new = makeUUID()
    return try await database.write(locking: []) { transaction in
      try transaction.execute(
        "INSERT INTO ledger_fact (name, value) VALUES ('id', $1) ON CONFLICT DO NOTHING", new.uuidString.lowercased())
      // Another server may have inserted its own id first.
      guard let identity = try transaction.identity() else {
        throw LedgerDatabaseError.unexpectedRow("the ledger's id is not there")
      }
      return identity
    }
  }
}

extension LedgerTransaction {
  /// Returns the stored id; nil if it was not created yet.
  fileprivate func identity() throws -> UUID? {
    guard let text = try row("SELECT value FROM ledger_fact WHERE name = 'id'")?.text("value") else { return nil }
    guard let identity = UUID(uuidString: text) else {
      throw LedgerDatabaseError.unexpectedRow("the ledger's id is no UUID")
    }
    return identity
  }
}
