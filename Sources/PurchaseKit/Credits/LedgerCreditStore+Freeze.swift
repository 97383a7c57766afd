import Foundation

// Credits of an earlier registration of this device (Documentation/purchase-kit.md, "A lost registration").
extension LedgerCreditStore {
  /// The balances that earlier registrations of this device have left in its records.
  struct EarlierBalances {
    let copies: [UUID: LedgerCreditRecords.Copy]
    /// The balance of the current registration; 0 if it was never requested.
    let current: Int

    var freeze: CreditFreeze? {
      guard let date = copies.values.map(\.date).max() else { return nil }
      return CreditFreeze(reason: .registrationLost, date: date, lostBalance: lost)
    }

    var loss: CreditLoss { CreditLoss(credits: lost, balanceAfter: current, of: [], freeze: freeze) }

    private var lost: Int {
      copies.values.reduce(0) { sum, copy in
        let (next, overflow) = sum.addingReportingOverflow(copy.balance)
        return overflow ? .max : next
      }
    }
  }

  /// Returns why the credits cannot be used: this device had credits, and the server now knows it as another anonymous
  /// customer, for example because its token was deleted. Nil if they can be used, if the balance is not known, or if the
  /// records cannot be read, which ``balance()`` throws.
  ///
  /// The freeze ends if the server joins the device's customers, if the earlier token is put back, or with
  /// ``resetCredits(accepting:)``. Its date is when the server last reported the lost balance.
  public func freeze() -> CreditFreeze? { try? earlierBalances().freeze }

  /// The credits that are lost if frozen credits are given up; nothing if they are not frozen. Show it to the customer
  /// first.
  public var creditsAtRisk: CreditLoss { get throws { try earlierBalances().loss } }

  /// Gives up the frozen credits on this device, and continues with the balance of the current registration. The
  /// server keeps the credits, but joins the device's customers only until the current one owns something.
  ///
  /// - Parameter loss: the value of ``creditsAtRisk`` to which the customer has agreed.
  /// - Throws: ``CreditError/notFrozen`` if the credits can be used; ``CreditError/lossNotAccepted(_:)`` if `loss` is not
  ///   the current value; an error if the records cannot be read or written.
  public func resetCredits(accepting loss: CreditLoss) async throws {
    try await disk.run { [records, unit] in
      let earlier = try self.earlierBalances()
      guard earlier.freeze != nil else { throw CreditError.notFrozen }
      guard earlier.loss == loss else { throw CreditError.lossNotAccepted(earlier.loss) }
      try records.removeBalances(of: unit, earlier.copies.keys)
    }
  }

  /// Returns the balances of earlier registrations. There are none while the current registration's balance is not
  /// known, because only that names the server's ledger: a balance in another ledger is sent again instead
  /// (``LedgerReplay``).
  func earlierBalances() throws -> EarlierBalances {
    guard server.isAnonymous, let customer = server.customer, let own = try records.balance(of: unit, customer) else {
      return EarlierBalances(copies: [:], current: 0)
    }
    let copies = try records.positiveBalances(of: unit, owner: PurchaseServerClient.Identity.installationOwner)
      .filter { earlier, copy in
        server.successor(of: earlier) != customer
          && (copy.incarnation == own.incarnation || copy.incarnation.isEmpty || own.incarnation.isEmpty)
      }
    return EarlierBalances(copies: copies, current: max(own.balance, 0))
  }

  /// Returns if purchases can be redeemed for the current registration. While the credits are frozen they must not: the
  /// server joins only a customer who owns nothing.
  ///
  /// - Throws: ``CreditError/frozen(_:)``; ``PurchaseServerError``.
  func requireOneRegistration(_ retries: inout RetryBudget) async throws {
    guard server.isAnonymous else { return }
    // The balance of a new registration is requested first, because it shows whether the earlier ones are lost.
    let isUnknown = try await disk.run { [records, unit] in
      let known = try records.positiveBalances(of: unit, owner: PurchaseServerClient.Identity.installationOwner)
      return try !known.isEmpty && self.copy() == nil
    }
    if isUnknown { _ = try await retries.request { try await self.read() } }
    if let freeze = try await disk.run({ try self.earlierBalances().freeze }) { throw CreditError.frozen(freeze) }
  }
}
