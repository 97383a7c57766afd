import StoreModel

/// The transactions of a redemption: its parts, the locks that are known before, and which of them are shared.
extension Ledger {
  func redeem(
    _ plan: RedemptionPlan, _ context: RedemptionWork.Context, joiningBy joinable: [ProvenPurchase],
    for claimant: Claimant
  ) async throws -> Redemption {
    var unscheduled: Set<CustomerID> = []
    let redemption: Redemption
    do {
      redemption = try await redeemParts(plan, context, joiningBy: joinable, for: claimant, &unscheduled)
    } catch {
      // The parts that were committed remain. If this fails as well, the next request of these customers schedules the passes.
      try? await schedulePasses(of: unscheduled)
      throw error
    }
    try await schedulePasses(of: unscheduled)
    return redemption
  }

  /// - Parameter unscheduled: receives the customers whose passes have to be scheduled, after each transaction.
  private func redeemParts(
    _ plan: RedemptionPlan, _ context: RedemptionWork.Context, joiningBy joinable: [ProvenPurchase],
    for claimant: Claimant, _ unscheduled: inout Set<CustomerID>
  ) async throws -> Redemption {
    var (claimant, outcomes, isProofStored): (Claimant, [Int: RedeemedPurchase], Bool) = (claimant, [:], false)
    var otherPurchases: Set<TransactionID> = []
    var isFirst = true
    for (number, part) in plan.parts.enumerated() {
      // Later parts find no other customer than the first one.
      let (joinable, isStored) = (number == 0 ? joinable : [], isProofStored)
      var step = RedemptionWork.Step.movedBack
      while case .movedBack = step {
        let (current, isFirstStep) = (claimant, isFirst)
        step = try await write(part, context.proof, for: current) { transaction in
          var work = try RedemptionWork(transaction, context, part, for: current, isFirst: isFirstStep)
          return try work.redeem(joiningBy: joinable, isProofStored: isStored)
        }
        isFirst = false
        if case .movedBack = step { unscheduled.insert(current.customer) }
      }
      guard case .redeemed(let results, let customer, let isStoredNow, let transferred, let others) = step else {
        continue
      }
      otherPurchases.formUnion(others)
      unscheduled.formUnion(transferred)
      outcomes.merge(results) { $1 }
      isProofStored = isStoredNow
      if customer != claimant.customer {
        unscheduled.remove(claimant.customer)
        claimant = claimant.joined(to: customer)
      }
    }
    return Redemption(
      customer: claimant.customer, environment: context.proof.environment,
      purchases: outcomes.sorted { $0.key < $1.key }.map(\.value), otherPurchases: otherPurchases.sorted())
  }

  /// The maximum number of transaction ids in a proof and its request whose redemption shares a transaction. The other
  /// writes would wait for a larger one.
  private static let mostShared = 16

  private func write<Value: Sendable>(
    _ part: RedemptionPlan.Part, _ proof: VerifiedProof, for claimant: Claimant,
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    let locks = part.subscriptionLocks(of: proof).union([.customer(claimant.customer)])
    let keys = proof.purchases.count > Self.mostShared ? [] : proof.claimableKeys
    guard proof.purchases.count <= Self.mostShared, keys.count + part.items.count <= Self.mostShared else {
      return try await database.write(locking: locks, body)
    }
    return try await database.writeShared(locking: locks, about: keys, body)
  }
}

extension Claimant {
  /// The claimant after the installation was joined to an earlier customer.
  fileprivate func joined(to customer: CustomerID) -> Claimant {
    Claimant(
      customer: customer, isIdentified: isIdentified, device: device, app: app, registered: registered, issued: issued)
  }
}

extension VerifiedProof {
  /// The keys under which the purchases of the proof may be claimed: the key of a claim has the transaction id or the
  /// original transaction id, which depends on the product's type.
  ///
  /// Requested purchases that are not in the proof need no key: only the claimant's own claims of them matter.
  fileprivate var claimableKeys: Set<PurchaseKey> {
    Set(
      purchases.flatMap { [$0.transactionID, $0.originalTransactionID] }.map {
        PurchaseKey(app: app, environment: environment, id: $0)
      })
  }
}

extension RedemptionPlan.Part {
  /// The locks of the part's subscriptions, as far as the proof names the products' types. With them, the redemption need not
  /// begin again.
  fileprivate func subscriptionLocks(of proof: VerifiedProof) -> Set<LedgerLock> {
    Set(
      purchases.compactMap { purchase in
        guard let type = purchase.type, type == .autoRenewableSubscription else { return nil }
        return .subscription(proof.claimKey(of: purchase, type))
      })
  }
}
