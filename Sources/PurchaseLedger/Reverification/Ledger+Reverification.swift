import Foundation
import StoreModel

extension Ledger {
  /// Takes proofs whose time has come, and sets their next time before anybody is asked: several servers do not ask about
  /// the same one, and one that a killed server has taken is asked about a period later.
  ///
  /// - Parameter limit: 1 to 1,000.
  public func takeDueProofs(limit: Int = 100) async throws -> [StoredProof] {
    guard (1...1000).contains(limit) else { throw LedgerError.invalid("1 to 1,000 proofs can be taken at a time.") }
    let (now, apps) = (clock.now, apps)
    return try await database.write(locking: []) { transaction in
      let rows = try transaction.rows(
        """
        SELECT customer, app, environment, kind, source, data, stated, due FROM stored_proof
        WHERE due IS NOT NULL AND due <= $1 ORDER BY due LIMIT $2
        """, now, limit)
      return try rows.compactMap { row in
        let app: BundleID = try row.identifier("app")
        let stated = try row.date("stated")
        var next = apps[app]?.reverificationSeconds.map { now.adding(seconds: $0) }
        if let end = apps[app]?.reverificationEndsAfterSeconds, stated.adding(seconds: end) < now { next = nil }
        let isTaken =
          try transaction.execute(
            """
            UPDATE stored_proof SET due = $6
            WHERE customer = $1 AND app = $2 AND environment = $3 AND kind = $4 AND source = $5 AND due = $7
            """, row.text("customer"), app, row.text("environment"), row.text("kind"), row.text("source"), next,
            row.integer("due")) > 0
        // Somebody else was faster, or nobody asks about it any more.
        guard isTaken, next != nil else { return nil }
        let data = Data(try row.data("data"))
        let kind: PurchaseProof.Kind = try row.value("kind")
        let proof: PurchaseProof = kind == .appReceipt ? .appReceipt(data) : .legacyReceipt(data)
        return StoredProof(
          customer: try row.customer("customer"), app: app, proof: proof, environment: try row.value("environment"),
          source: try row.text("source"))
      }
    }
  }

  /// Has a proof asked about sooner than a period from now, because the store could not say.
  public func postpone(_ proof: StoredProof, seconds: Int64) async throws {
    let due = clock.now.adding(seconds: seconds)
    _ = try await database.write(locking: []) { transaction in
      try transaction.execute(
        """
        UPDATE stored_proof SET due = $6
        WHERE customer = $1 AND app = $2 AND environment = $3 AND kind = $4 AND source = $5 AND due > $6
        """, proof.customer, proof.app, proof.environment, proof.proof.kind.rawValue, proof.source, due)
    }
  }

  /// Takes down what the store says now, and brings what was given in line with it, whoever has it. Nothing is claimed.
  ///
  /// - Returns: how many claims it found.
  @discardableResult
  public func learn(from proof: VerifiedProof) async throws -> Int {
    let settings = try settings(of: proof.app)
    let (now, makeUUID) = (clock.now, makeUUID)
    return try await database.write(locking: []) { transaction in
      var found: [(purchase: ProvenPurchase, claim: PurchaseKey, statement: PurchaseKey)] = []
      var owners: Set<LedgerLock> = []
      for purchase in proof.purchases {
        func key(_ id: TransactionID) -> PurchaseKey {
          PurchaseKey(app: proof.app, environment: proof.environment, id: id)
        }
        guard let type = try purchase.type ?? transaction.product(purchase.productID, app: proof.app)?.type
        else { continue }
        let claimKey = key(purchase.claimID(type))
        if let claim = try transaction.claim(claimKey) { owners.insert(.customer(claim.customer)) }
        found.append((purchase, claimKey, key(purchase.statementID(type))))
      }
      try transaction.require(owners)
      found.sort { $0.statement.id < $1.statement.id }
      var claims = 0
      for (purchase, claimKey, statementKey) in found {
        let statement = try transaction.take(purchase.revocation, on: statementKey, stated: proof.statedDate, now)
        guard let claim = try transaction.claim(claimKey) else { continue }
        claims += 1
        guard claim.transactionID == statementKey.id else { continue }
        _ = try transaction.settle(claim, by: statement, settings.refundPolicy, now)
        try transaction.deliverAgain(claim, by: statement, id: makeUUID(), now)
      }
      return claims
    }
  }
}
