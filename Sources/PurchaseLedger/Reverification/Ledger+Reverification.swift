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
        SELECT customer, app, environment, digest, kind, data, stated, due FROM stored_proof
        WHERE due <= $1 ORDER BY due LIMIT $2
        """, now, limit)
      return try rows.compactMap { row in
        let app: BundleID = try row.identifier("app")
        let kind: PurchaseProof.Kind = try row.value("kind")
        let data = Data(try row.data("data"))
        let due = StoredProof(
          customer: try row.customer("customer"), app: app,
          proof: kind == .appReceipt ? .appReceipt(data) : .legacyReceipt(data),
          environment: try row.value("environment"), digest: try row.text("digest"))
        let end = apps[app]?.reverificationEndsAfterSeconds
        guard let seconds = apps[app]?.reverificationSeconds,
          try end.map({ try row.date("stated").adding(seconds: $0) >= now }) ?? true
        else {
          try transaction.letGo(due.digest, of: due.customer, app: app, due.environment)
          return nil
        }
        let isTaken =
          try transaction.execute(
            """
            UPDATE stored_proof SET due = $5
            WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4 AND due = $6
            """, due.customer, app, due.environment, due.digest, now.adding(seconds: seconds), row.integer("due")) > 0
        // Otherwise another server was faster.
        return isTaken ? due : nil
      }
    }
  }

  /// Has a proof asked about sooner than a period from now, because the store could not say.
  public func postpone(_ proof: StoredProof, seconds: Int64) async throws {
    let due = clock.now.adding(seconds: seconds)
    _ = try await database.write(locking: []) { transaction in
      try transaction.execute(
        """
        UPDATE stored_proof SET due = $5
        WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4 AND due > $5
        """, proof.customer, proof.app, proof.environment, proof.digest, due)
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
      let found = try transaction.claimable(proof)
      try transaction.require(Set(found.compactMap { try transaction.claim($0.key).map { .customer($0.customer) } }))
      var claims = 0
      for (key, type, purchases) in found {
        let statement = try transaction.take(purchases, of: type, on: key, stated: proof.statedDate, now)
        guard let claim = try transaction.claim(key) else { continue }
        claims += 1
        let settled = try transaction.settle(claim, by: statement, settings.refundPolicy, now)
        try transaction.deliverAgain(settled, by: statement, id: makeUUID(), now)
      }
      return claims
    }
  }
}

extension LedgerTransaction {
  /// The purchases of a proof by the claim they belong to, in the order in which statements are locked.
  fileprivate func claimable(
    _ proof: VerifiedProof
  ) throws -> [(key: PurchaseKey, type: ProductType, purchases: [ProvenPurchase])] {
    var types: [PurchaseKey: ProductType] = [:]
    var purchases: [PurchaseKey: [ProvenPurchase]] = [:]
    for purchase in proof.purchases {
      guard let type = try purchase.type ?? product(purchase.productID, app: proof.app)?.type else { continue }
      let key = PurchaseKey(app: proof.app, environment: proof.environment, id: purchase.claimID(type))
      types[key] = type
      purchases[key, default: []].append(purchase)
    }
    return types.sorted { $0.key.id < $1.key.id }.map { ($0.key, $0.value, purchases[$0.key] ?? []) }
  }
}
