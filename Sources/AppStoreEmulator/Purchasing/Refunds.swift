import GRDB
import StoreModel

extension StoreUnitOfWork {
  var refunds: Refunds { Refunds(work: self) }
}

/// Refunds and their reversals.
struct Refunds {
  let work: StoreUnitOfWork

  /// Refunds a transaction: it is revoked for the purchaser and for the family it is shared with, and their devices are
  /// notified.
  ///
  /// - Parameter percentage: the share of the price, in thousandths of a percent, 1 to 100,000. The amount is rounded
  ///   down to the currency's smallest unit.
  /// - Throws: ``AppStoreEmulatorError``.
  func refund(_ id: TransactionID, reason: RevocationReason, percentage: Int) throws -> StoredTransaction {
    guard (1...Percentage.whole).contains(percentage) else {
      throw AppStoreEmulatorError.refundOutOfRange(percentage)
    }
    var stored = try refundable(id)
    stored.record.revocationDate = work.now.wholeSeconds
    stored.record.revocationReason = reason
    stored.record.revocationType = percentage == Percentage.whole ? .fullRefund : .proratedRefund
    stored.record.revocationPercentage = percentage
    try stored.revise(work.database)
    if let subscription = try work.subscriptions.current(stored) {
      try work.subscriptionEffects.apply(.refunded, to: subscription)
    }
    try work.makeReceiptsLater()
    let refund = try work.charges.refund(share: percentage, of: stored)
    try work.events.record(
      .refunded(stored, refund: refund, keepsProduct: try work.revocations.keepsProduct(of: stored)))
    try work.familySharing.endSharing(of: stored, reason: reason)
    try grantRequest(of: stored)
    return stored
  }

  /// Decides the customer's request for this refund, if there is one.
  private func grantRequest(of stored: StoredTransaction) throws {
    try work.database.cachedStatement(
      sql: """
        UPDATE refundRequest SET outcome = ?, percentage = ?, decisionDate = ? WHERE transactionID = ? AND outcome IS NULL
        """
    ).execute(arguments: [
      (stored.record.revocationType == .fullRefund ? RequestedRefund.Outcome.full : .prorated).rawValue,
      stored.record.revocationPercentage, work.now.millisecondsSince1970, stored.record.transactionID.rawValue,
    ])
  }

  /// A transaction that can be refunded.
  ///
  /// - Throws: ``AppStoreEmulatorError``.
  func refundable(_ id: TransactionID) throws -> StoredTransaction {
    let stored = try transaction(id)
    guard stored.sharedTransactionID == nil else {
      throw AppStoreEmulatorError.notRefundable(id, "it is a family member's")
    }
    guard stored.record.revocationDate == nil else {
      throw AppStoreEmulatorError.notRefundable(id, "it was refunded before")
    }
    guard !stored.record.isUpgraded else {
      throw AppStoreEmulatorError.notRefundable(id, "the rest of it was refunded at the upgrade")
    }
    return stored
  }

  /// Reverses a refund: the customer pays again, and owns the product again.
  ///
  /// - Throws: ``AppStoreEmulatorError``, also if the customer would own the product or the subscription twice.
  func reverse(_ id: TransactionID) throws -> StoredTransaction {
    var stored = try transaction(id)
    guard stored.sharedTransactionID == nil, stored.record.revocationDate != nil else {
      throw AppStoreEmulatorError.notRefundable(id, "it was not refunded")
    }
    try check(reversalOf: stored)
    stored.record.revocationDate = nil
    stored.record.revocationReason = nil
    stored.record.revocationType = nil
    stored.record.revocationPercentage = nil
    try stored.revise(work.database)
    if let subscription = try work.subscriptions.current(stored) {
      try work.subscriptionEffects.apply(.refundReversed, to: subscription)
    }
    try work.makeReceiptsLater()
    // The sum of all refunds, so that the reversal has no rounding error.
    let refunded = try Int64.fetchOne(
      work.database, sql: "SELECT sum(amount) FROM refund WHERE transactionID = ?", arguments: [id.rawValue])
    let reversal = try work.charges.refund(Milliunits(rawValue: -(refunded ?? 0)), of: stored)
    try work.familySharing.share(stored)
    try work.events.record(.refundReversed(stored, refund: reversal))
    return stored
  }

  /// Checks that a reversal does not give a customer the product or the subscription twice. A subscription period that
  /// has ended gives no access, so its refund can be reversed.
  ///
  /// - Throws: ``AppStoreEmulatorError/notRefundable(_:_:)``.
  private func check(reversalOf stored: StoredTransaction) throws {
    let (record, ownership) = (stored.record, work.ownership(Scope(stored)))
    guard record.expiresDate.map({ $0 > work.now }) ?? true else { return }
    if let owned = try ownership.transaction(owning: record.productID), owned.sharedTransactionID == nil {
      throw AppStoreEmulatorError.notRefundable(record.transactionID, "the customer has bought it again since")
    }
    if try record.subscriptionGroupID.map({ try ownership.isSubscribed(to: $0, countsShares: false) }) == true {
      throw AppStoreEmulatorError.notRefundable(
        record.transactionID, "the customer has subscribed to another plan since")
    }
    // The subscription had a later period, and has ended. The reversal would make this earlier period active again.
    if let subscription = try work.subscriptions.find(record),
      subscription.currentTransactionID != record.transactionID
    {
      throw AppStoreEmulatorError.notRefundable(
        record.transactionID, "a later period of the subscription has begun since")
    }
  }

  private func transaction(_ id: TransactionID) throws -> StoredTransaction {
    guard let stored = try StoredTransaction.lookUp(["transactionID": id.rawValue], in: work.database) else {
      throw AppStoreEmulatorError.unknownTransaction(id)
    }
    return stored
  }
}
