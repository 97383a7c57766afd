import Crypto
import Foundation

/// Identifies the history within which a ledger's movement numbers are unique.
///
/// A ledger that was restored from a backup, or taken over by a standby, may lack movements that its customers have
/// seen. It then uses the same numbers for other movements. Such a ledger has another incarnation, and numbers are
/// compared only within one incarnation. An app that receives a new incarnation sends its purchases and spends again
/// (Documentation/purchase-ledger.md, "Incarnations").
public struct LedgerIncarnation: Hashable, Codable, Sendable, CustomStringConvertible {
  /// A UUID in lower case. Incarnations have no order.
  public let description: String

  package init(_ uuid: UUID) { description = uuid.uuidString.lowercased() }

  public init(from decoder: any Decoder) throws {
    description = try decoder.singleValueContainer().decode(String.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension Ledger {
  /// Returns the current incarnation of this ledger.
  ///
  /// - Throws: ``LedgerDatabaseError``.
  public func incarnation() async throws -> LedgerIncarnation { try await database.read { try $0.incarnation() } }

  /// Begins a new incarnation. An operator calls it after restoring the ledger in a way that the ledger cannot detect, such
  /// as from a copy of its file or a snapshot of its machine.
  ///
  /// - Throws: ``LedgerDatabaseError``.
  public func beginIncarnation(by operatorName: String) async throws {
    let (new, generation, now) = (makeUUID().uuidString.lowercased(), newGenerationID(), clock.now)
    let entry = audit(operatorName, "beginIncarnation", subject: "ledger", "The ledger was restored.")
    try await database.write(locking: []) { transaction in
      try transaction.execute(
        """
        INSERT INTO ledger_fact (name, value) VALUES ('incarnation', $1)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value
        """, new)
      try transaction.beginGenerationIfNeeded(id: generation, now)
      try transaction.record(entry)
    }
  }
}

extension LedgerTransaction {
  /// Returns the current incarnation. It is derived from the stored incarnation and the identity of this copy of the database.
  func incarnation() throws -> LedgerIncarnation {
    try LedgerIncarnation(row(LedgerIncarnation.query))
  }
}

extension LedgerIncarnation {
  /// Selects the columns of ``init(_:)-(SQLRow?)``: the stored incarnation, and the identity of this copy of the database.
  static let query =
    "SELECT f.value, c.identity FROM ledger_fact f CROSS JOIN ledger_copy c WHERE f.name = 'incarnation'"

  /// - Parameter row: a row of ``query``; nil if it has none.
  /// - Throws: ``LedgerDatabaseError``.
  init(_ row: SQLRow?) throws {
    guard let row else { throw LedgerDatabaseError.unexpectedRow("the ledger's incarnation is not there") }
    let digest = SHA256.hash(data: Data("\(try row.text("value")) \(try row.text("identity"))".utf8))
    self.init(digest.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
  }
}
