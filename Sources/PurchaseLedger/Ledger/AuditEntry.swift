import StoreModel

/// An entry of the audit log: one operation of an operator.
public struct AuditEntry: Hashable, Codable, Sendable {
  public let id: String
  public let date: StoreDate
  /// The name of the operator's key.
  public let operatorName: String
  /// The operation's name, such as `grant`.
  public let action: String
  /// What the operation changed, such as a customer's id.
  public let subject: String
  /// Details, as text for people.
  public let detail: String
}

extension Ledger {
  /// - Parameter reason: why the operator did it; nil if the operator gave none.
  func audit(
    _ operatorName: String, _ action: String, subject: String, _ detail: String, reason: String? = nil
  ) -> AuditEntry {
    AuditEntry(
      id: makeUUID().uuidString.lowercased(), date: clock.now, operatorName: operatorName, action: action,
      subject: subject, detail: [detail, reason ?? ""].filter { !$0.isEmpty }.joined(separator: ": "))
  }
}

extension LedgerTransaction {
  /// Adds an entry to the audit log, in the same transaction as the operation.
  func record(_ entry: AuditEntry) throws {
    try execute(
      """
      INSERT INTO audit_entry (date, id, operator, action, subject, detail) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT DO NOTHING
      """, entry.date, entry.id, entry.operatorName, entry.action, entry.subject, entry.detail)
  }
}
