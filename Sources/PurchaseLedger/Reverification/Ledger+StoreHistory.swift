import StoreModel

extension Ledger {
  /// Returns the `revision` at which the reading of the transaction history for a stored proof goes on; nil for its start, and if
  /// the proof is no longer stored.
  public func historyRevision(of proof: StoredProof) async throws -> String? {
    try await database.read { transaction in
      try transaction.row(
        """
        SELECT revision FROM stored_proof WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4
        """, proof.customer, proof.app, proof.environment, proof.digest
      )?.optionalText("revision")
    }
  }

  /// Records a part of the store's history as ``recordStatuses(from:)`` does, and in the same transaction where the next reading
  /// goes on. So a reading that is interrupted goes on after its last page.
  @discardableResult
  public func record(_ part: StoreHistoryPart, for stored: StoredProof) async throws -> RecordedStatuses {
    let settings = try settings(of: stored.app)
    let (now, makeUUID) = (clock.now, makeUUID)
    let parts = part.statements.map { RedemptionPlan(recording: $0).parts } ?? [RedemptionPlan.Part()]
    var recorded = RecordedStatuses()
    for (number, page) in parts.enumerated() {
      let counts = try await database.write(locking: []) { transaction in
        transaction.change = LedgerChange(date: now, cause: .reverification)
        var counts = RecordedStatuses()
        if let proof = part.statements {
          counts = try transaction.record(page.purchases, of: proof, settings, now, makeUUID: makeUUID)
        }
        if let revision = part.revision, number == parts.count - 1 {
          try transaction.execute(
            """
            UPDATE stored_proof SET revision = $5
            WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4
            """, stored.customer, stored.app, stored.environment, stored.digest, revision)
        }
        return counts
      }
      recorded.add(counts)
    }
    return recorded
  }
}

extension RecordedStatuses {
  /// Adds the result of another part of the same proof, or of the same history.
  public mutating func add(_ other: RecordedStatuses) {
    claims += other.claims
    changed += other.changed
    otherPurchases += other.otherPurchases
  }
}
