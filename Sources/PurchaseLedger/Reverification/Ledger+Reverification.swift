import Foundation
import StoreModel

extension Ledger {
  /// Returns proofs that are due for verification, and makes each of them due again one period later.
  ///
  /// The new date is committed before the store is asked. So two servers never verify the same proof at once, and if a server
  /// stops before it has verified a proof, the proof is verified one period later.
  ///
  /// - Parameter limit: the maximum number of proofs; 1 to 1,000.
  public func takeDueProofs(limit: Int = 100) async throws -> [StoredProof] {
    guard (1...1000).contains(limit) else { throw LedgerError.invalid("1 to 1,000 proofs can be taken at a time.") }
    let (now, apps) = (clock.now, apps)
    // A server of a later version may have stored other kinds.
    let kinds = PurchaseProof.Kind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    return try await database.write(locking: []) { transaction in
      var taken: [StoredProof] = []
      // Apps without reverification here may be reverified by another server.
      for (app, settings) in apps.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where taken.count < limit {
        guard let seconds = settings.reverificationSeconds else { continue }
        try transaction.bringForward(app, seconds: seconds, now)
        let rows = try transaction.rows(
          """
          SELECT customer, app, environment, digest, kind, data, stated, due FROM stored_proof
          WHERE app = $1 AND due <= $2 AND kind IN (\(kinds)) ORDER BY due LIMIT $3
          """, app, now, limit - taken.count)
        for row in rows {
          let (proof, due) = (try StoredProof(row), try row.integer("due"))
          if let end = settings.reverificationEndsAfterSeconds, try row.date("stated").adding(seconds: end) < now {
            try transaction.discard(proof, due: due)
            continue
          }
          let isTaken =
            try transaction.execute(
              """
              UPDATE stored_proof SET due = $5
              WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4 AND due = $6
              """, proof.customer, app, proof.environment, proof.digest, now.adding(seconds: seconds), due) > 0
          // If no row was updated, another server has taken the proof.
          if isTaken { taken.append(proof) }
        }
      }
      return taken
    }
  }

  /// Makes a proof due again after `seconds`, unless it is due earlier. Called if the store could not verify the proof. It is
  /// completed even if the task is cancelled, because a server that stops has not verified its proofs.
  public func postpone(_ proof: StoredProof, seconds: Int64) async throws {
    let (due, database) = (clock.now.adding(seconds: seconds), database)
    _ = try await Task {
      try await database.write(locking: []) { transaction in
        try transaction.execute(
          """
          UPDATE stored_proof SET due = $5
          WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4 AND due > $5
          """, proof.customer, proof.app, proof.environment, proof.digest, due)
      }
    }.value
  }

  /// Records the status of all purchases in a proof, and updates the credits, entitlements and deliveries of their claims,
  /// for every customer. No purchase is claimed. Purchases under whose id another purchase is recorded are left out.
  ///
  /// The purchases of a large proof are recorded in several transactions.
  ///
  /// - Returns: the number of claims whose status was recorded, and how many of them changed.
  @discardableResult
  public func recordStatuses(from proof: VerifiedProof) async throws -> RecordedStatuses {
    let settings = try settings(of: proof.app)
    let (now, makeUUID) = (clock.now, makeUUID)
    var recorded = RecordedStatuses()
    for part in RedemptionPlan(recording: proof).parts {
      recorded.add(
        try await database.write(locking: []) { transaction in
          transaction.change = LedgerChange(date: now, cause: .reverification)
          return try transaction.record(part.purchases, of: proof, settings, now, makeUUID: makeUUID)
        })
    }
    return recorded
  }
}
