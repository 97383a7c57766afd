extension Ledger {
  /// Records an operation of an operator that changes nothing in the ledger, such as a backup or an export.
  ///
  /// - Parameters:
  ///   - action: the operation's name, such as `backUp`.
  ///   - subject: what the operation is about, such as a customer's id.
  public func record(
    _ action: String, subject: String, _ detail: String = "", by operatorName: String, reason: String?
  ) async throws {
    let entry = audit(operatorName, action, subject: subject, detail, reason: reason)
    try await database.write(locking: []) { try $0.record(entry) }
  }
}
