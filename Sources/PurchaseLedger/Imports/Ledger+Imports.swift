import StoreModel

/// The customer of a row of an import.
public enum ImportedCustomer: Hashable, Sendable {
  case customer(CustomerID)
  /// The issuer and its name for the customer, in the format of ``Ledger/identify(subject:)``. An unknown customer is created.
  case subject(String)
}

/// What a row of an import has given.
public struct ImportedPurchases: Hashable, Sendable {
  /// Nil if the row would create the customer, but nothing is written, or nothing is claimed.
  public let customer: CustomerID?
  public let purchases: [RedeemedPurchase]
}

extension Ledger {
  /// Redeems what a row of an import proves, as ``redeem(_:_:for:)`` does. A repeated call gives nothing more.
  ///
  /// All purchases of a signed transaction, a legacy receipt or a transaction id are redeemed. Of an app receipt, those that a
  /// restore would give: consumables in it may have been given long ago, by the system whose purchases are imported.
  ///
  /// - Throws: ``LedgerError/unknownCustomer(_:)``, and the errors of a redemption.
  public func importPurchases(
    of proof: VerifiedProof, for customer: ImportedCustomer
  ) async throws -> ImportedPurchases {
    let claimant: Claimant
    switch customer {
    case .subject(let subject):
      if try await database.read({ try $0.customer(named: subject) }) == nil {
        // A row that gives nothing creates no customer.
        let preview = try await previewImport(of: proof, for: customer)
        guard preview.purchases.contains(where: \.outcome.isClaimed) else { return preview }
      }
      claimant = try await identify(subject: subject)
    case .customer(let id):
      claimant = try await database.read { try $0.importClaimant(.customer(id), new: id) }.claimant
    }
    let redemption = try await redeem(proof, RedemptionRequest(importing: proof), for: claimant, by: .import)
    return ImportedPurchases(customer: redemption.customer, purchases: redemption.purchases)
  }

  /// Returns what ``importPurchases(of:for:)`` would give now, and changes nothing. It runs the same statements in transactions
  /// that are rolled back, so its refusals are those of the import.
  public func previewImport(of proof: VerifiedProof, for customer: ImportedCustomer) async throws -> ImportedPurchases {
    if case .subject(let subject) = customer { try Self.check(subject: subject) }
    let settings = try settings(of: proof.app)
    let plan = RedemptionPlan(proof, RedemptionRequest(importing: proof))
    let context = RedemptionWork.Context(
      proof: proof, isDivided: plan.parts.count > 1,
      digest: settings.reverificationSeconds == nil ? nil : proof.storedDigest, settings: settings, device: .none,
      now: clock.now, cause: .import, makeUUID: makeUUID)
    let new = CustomerID(rawValue: makeUUID())
    var known: CustomerID?
    var outcomes: [Int: RedeemedPurchase] = [:]
    for part in plan.parts {
      let (customer, results) = try await undone { transaction in
        let (claimant, isNew) = try transaction.importClaimant(customer, new: new)
        if isNew, case .subject(let subject) = customer {
          try transaction.insertCustomer(new, subject: subject, context.now)
        }
        try transaction.require(.customer(claimant.customer))
        var work = try RedemptionWork(transaction, context, part, for: claimant, isFirst: true)
        // Without a device, no earlier installation is joined, so that no claims are moved back.
        guard case .redeemed(let results, let owner, _, _, _) = try work.redeem(joiningBy: [], isProofStored: false)
        else {
          return (claimant.customer, [Int: RedeemedPurchase]())
        }
        return (owner, results)
      }
      known = customer == new ? nil : customer
      outcomes.merge(results) { $1 }
    }
    return ImportedPurchases(customer: known, purchases: outcomes.sorted { $0.key < $1.key }.map(\.value))
  }

  /// Runs `body` in a transaction that is rolled back, and returns its result.
  private func undone<Value: Sendable>(
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    do {
      return try await database.write(locking: []) { transaction in throw Undone(value: try body(transaction)) }
    } catch let undone as Undone<Value> {
      return undone.value
    }
  }
}

extension RedeemedPurchase.Outcome {
  /// Whether a new customer has claimed the purchase. A refunded one is claimed, too.
  fileprivate var isClaimed: Bool {
    switch self {
    case .given, .refused(.refunded): true
    case .refused: false
    }
  }
}

/// Thrown to end a transaction without a commit.
private struct Undone<Value: Sendable>: Error {
  let value: Value
}

extension RedemptionRequest {
  /// The purchases of a proof that an import redeems.
  fileprivate init(importing proof: VerifiedProof) {
    self =
      proof.proof.kind == .appReceipt
      ? .everythingOwned : .purchases(proof.purchases.map { Item(transactionID: $0.transactionID) })
  }
}

extension LedgerTransaction {
  /// Returns the claimant of an imported row, and whether the customer does not exist yet.
  ///
  /// - Parameter new: the id of a customer who does not exist yet.
  /// - Throws: ``LedgerError/unknownCustomer(_:)`` if there is no active customer with the id.
  fileprivate func importClaimant(
    _ customer: ImportedCustomer, new: CustomerID
  ) throws -> (claimant: Claimant, isNew: Bool) {
    switch customer {
    case .customer(let id):
      guard let status = try status(of: id), status.isActive else { throw LedgerError.unknownCustomer(id) }
      return (Claimant(customer: id, isIdentified: status.subject != nil), false)
    case .subject(let subject):
      let known = try self.customer(named: subject)
      return (Claimant(customer: known ?? new, isIdentified: true), known == nil)
    }
  }
}
