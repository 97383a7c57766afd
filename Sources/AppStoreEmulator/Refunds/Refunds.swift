import GRDB
import StoreModel

extension EmulatedAppStore {
  /// Gives a customer the money back, and takes back what was bought: for the purchaser and for the family it is shared with.
  ///
  /// Running apps hear of it at once, others at their next launch, where the product is one that is owned.
  ///
  /// - Parameters:
  ///   - reason: what the customer said.
  ///   - percentage: the share of the price, in thousandths of a percent, from 1 to 100,000. What is less than the currency's
  ///     smallest unit is not given back.
  /// - Returns: the transaction, revoked.
  /// - Throws: ``AppStoreEmulatorError`` where there is no such transaction, or it cannot be refunded.
  @discardableResult
  public func refund(
    _ id: TransactionID, reason: RevocationReason = .other, percentage: Int = 100_000
  ) async throws -> StoredTransaction {
    guard (1...100_000).contains(percentage) else { throw AppStoreEmulatorError.refundOutOfRange(percentage) }
    let refunded = try await database.write { database in
      var stored = try Self.known(id, in: database)
      guard stored.sharedTransactionID == nil else {
        throw AppStoreEmulatorError.notRefundable(id, "it is a family member's")
      }
      guard stored.record.revocationDate == nil else {
        throw AppStoreEmulatorError.notRefundable(id, "it was refunded before")
      }
      let now = try StoreRow.takeDate(database, clock: self.clock).wholeSeconds
      stored.record.revocationDate = now
      stored.record.revocationReason = reason
      stored.record.revocationType = percentage == 100_000 ? .fullRefund : .proratedRefund
      stored.record.revocationPercentage = percentage
      try stored.update(database)
      try StoreRow.makeReceiptsLater(database)
      let amount = stored.record.price.share(percentage, in: Currency(stored.record.currency))
      if amount > .zero { try Refund(of: stored, amount: amount, date: now).insert(database) }
      try self.tellRevoked(stored, in: database)
      try self.endSharing(of: stored, reason: reason, now: now, in: database)
      return stored
    }
    changeBell.ring()
    return refunded
  }

  /// Takes a refund back: the customer pays after all, and has what was bought again.
  ///
  /// - Throws: ``AppStoreEmulatorError`` where there is no such transaction, it was not refunded, or the customer has bought
  ///   the product again since: it would be paid for twice.
  @discardableResult
  public func reverseRefund(of id: TransactionID) async throws -> StoredTransaction {
    let restored = try await database.write { database in
      var stored = try Self.known(id, in: database)
      guard stored.sharedTransactionID == nil, stored.record.revocationDate != nil else {
        throw AppStoreEmulatorError.notRefundable(id, "it was not refunded")
      }
      let now = try StoreRow.takeDate(database, clock: self.clock).wholeSeconds
      let held = try Self.held(
        stored.record.productID, by: stored.account, of: stored.record.bundleID, in: stored.record.environment,
        at: now, database: database)
      if let held, held.sharedTransactionID == nil {
        throw AppStoreEmulatorError.notRefundable(id, "the customer has bought it again since")
      }
      let isActive = try stored.record.subscriptionGroupID.map {
        try Self.isSubscribed(
          stored.account, to: $0, of: stored.record.bundleID, in: stored.record.environment, at: now,
          database: database)
      }
      if isActive == true {
        throw AppStoreEmulatorError.notRefundable(id, "the customer has subscribed to another plan since")
      }
      stored.record.revocationDate = nil
      stored.record.revocationReason = nil
      stored.record.revocationType = nil
      stored.record.revocationPercentage = nil
      try stored.update(database)
      try StoreRow.makeReceiptsLater(database)
      // Just what was given back, by whichever rule it was rounded then.
      let refunds = try Int64.fetchOne(
        database, sql: "SELECT sum(amount) FROM refund WHERE transactionID = ?", arguments: [id.rawValue])
      let amount = Milliunits(rawValue: -(refunds ?? 0))
      if amount < .zero { try Refund(of: stored, amount: amount, date: now).insert(database) }
      try self.share(stored, in: database)
      try Self.tell(
        StoreChange(.transactionsWaiting), to: stored.account, of: stored.record.bundleID, stored.record.environment,
        in: database)
      return stored
    }
    changeBell.ring()
    return restored
  }

  /// Lets the owner's devices know. Consumables and non-renewing subscriptions are nobody's to lose; of a consumable that is
  /// unfinished, the installation it is delivered to hears that a part was refunded.
  func tellRevoked(_ stored: StoredTransaction, in database: Database) throws {
    if stored.record.type == .consumable, stored.record.isDeliverable, stored.finishedDate == nil,
      let id = stored.installationID
    {
      try DeviceChangeRow(StoreChange(.transactionsWaiting), for: id).insert(database)
    }
    guard stored.record.type.isRestorable else { return }
    let change = StoreChange(.entitlementsRevoked, productIDs: [stored.record.productID])
    try Self.tell(
      change, to: stored.account, of: stored.record.bundleID, stored.record.environment, in: database)
    // Where it was bought, too, if somebody else is signed in there by now.
    if let id = stored.installationID, try Self.installation(id, in: database).account != stored.account {
      try DeviceChangeRow(change, for: id).insert(database)
    }
  }

  /// Lets an installation know what the account that is signed in there has lost, which it may not have heard of.
  static func tellWhatWasRevoked(to installation: Installation, at now: StoreDate, in database: Database) throws {
    guard let account = installation.account else { return }
    let lost = try String.fetchAll(
      database,
      sql: """
        SELECT DISTINCT productID FROM transactionRecord
        WHERE account = ? AND bundleID = ? AND environment = ? AND revocationDate IS NOT NULL
          AND type IN ('Non-Consumable', 'Auto-Renewable Subscription')
        ORDER BY productID
        """,
      arguments: [account.rawValue, installation.bundleID.rawValue, installation.environment.rawValue]
    ).map(ProductID.init(rawValue:)).filter {
      try held(
        $0, by: account, of: installation.bundleID, in: installation.environment, at: now, database: database) == nil
    }
    guard !lost.isEmpty else { return }
    try DeviceChangeRow(StoreChange(.entitlementsRevoked, productIDs: lost), for: installation.installationID)
      .insert(database)
  }

  private static func known(_ id: TransactionID, in database: Database) throws -> StoredTransaction {
    guard let stored = try StoredTransaction.lookUp(["transactionID": id.rawValue], in: database) else {
      throw AppStoreEmulatorError.unknownTransaction(id)
    }
    return stored
  }
}

extension Milliunits {
  /// A share in thousandths of a percent, rounded towards zero to what can be paid in `currency`. The whole is the whole, also
  /// where it was charged before amounts were rounded.
  fileprivate func share(_ percentage: Int, in currency: Currency) -> Milliunits {
    guard percentage != Percentage.whole else { return self }
    let share = Percentage.share(percentage, of: rawValue)
    return Milliunits(share - share % currency.smallestUnit.rawValue)
  }
}
