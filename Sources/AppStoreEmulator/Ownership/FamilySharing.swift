import GRDB
import StoreModel

extension StoreUnitOfWork {
  var familySharing: FamilySharing { FamilySharing(work: self) }
}

/// Shares purchases with the purchaser's family. Each share is a separate transaction of the family member.
///
/// A member receives a share of every subscription of the family, because one of them may end before the others. Of a
/// non-consumable that several members bought, a member receives one share. It is replaced when it is revoked.
struct FamilySharing {
  let work: StoreUnitOfWork

  /// The maximum number of customers in a family: the organizer and five others, as in Apple's Family Sharing. It limits
  /// the number of transactions that one purchase makes.
  static let maximumMembers = 6

  /// Shares a purchase with the other members of the purchaser's family, if it can be shared.
  ///
  /// - Parameter begins: whether the purchase is made now, so that a renewal renews the members' shares as well.
  func share(_ purchase: StoredTransaction, begins: Bool = false) throws {
    guard purchase.record.type.isRestorable,
      let family = try work.customers.find(purchase.account, purchase.record.environment)?.customer.family
    else { return }
    try share(purchase, among: work.customers.members(of: family, purchase.record.environment), begins: begins)
  }

  /// Revokes the shares of a purchase that was revoked or upgraded. If another member of the family bought the same
  /// non-consumable, that purchase is shared instead.
  func endSharing(of purchase: StoredTransaction, reason: RevocationReason) throws {
    let record = purchase.record
    try revoke(shares(of: purchase), reason: reason)
    guard record.type == .nonConsumable,
      let family = try work.customers.find(purchase.account, record.environment)?.customer.family
    else { return }
    let members = try work.customers.members(of: family, record.environment)
    for member in members {
      let scope = Scope(account: member.name, bundleID: record.bundleID, environment: record.environment)
      if let other = try work.ownership(scope).transaction(owning: record.productID) {
        try share(other, among: members)
      }
    }
  }

  /// Revokes the shares that a customer received or gave. Then shares the purchases of all members again, in the
  /// previous family and in the new one. Shares of periods that gave no access any more stay as they are.
  ///
  /// - Throws: ``AppStoreEmulatorError/familyFull(_:)``.
  func familyChanged(of customer: Customer, before: String?) throws {
    if let family = customer.family {
      let count = try work.customers.members(of: family, customer.environment).count
      guard count <= Self.maximumMembers else { throw AppStoreEmulatorError.familyFull(family) }
    }
    try revoke(received(by: customer) + given(by: customer), reason: .other)
    for family in [before, customer.family].compactMap(\.self) {
      let members = try work.customers.members(of: family, customer.environment)
      for member in members {
        for purchase in try shareable(of: member) { try share(purchase, among: members) }
      }
    }
  }

  private func share(_ purchase: StoredTransaction, among members: [Customer], begins: Bool = false) throws {
    let record = purchase.record
    // A subscription period that has ended is not shared.
    guard purchase.sharedTransactionID == nil, record.expiresDate.map({ $0 > work.now }) ?? true,
      try work.catalog.product(record.productID, of: record.bundleID)?.definition.isFamilyShareable == true
    else { return }
    for member in members where member.name != purchase.account {
      try share(purchase, with: member, begins: begins)
    }
  }

  private func share(_ purchase: StoredTransaction, with member: Customer, begins: Bool) throws {
    let bought = purchase.record
    let scope = Scope(account: member.name, bundleID: bought.bundleID, environment: bought.environment)
    guard try !isShared(purchase, with: scope) else { return }
    let (sequence, id) = try work.takeTransactionNumber()
    var record = bought.shared(
      TransactionRecord.Share(
        transactionID: id, date: work.now.wholeSeconds, first: try firstShare(of: purchase, with: member.name),
        isRenewal: begins ? try isRenewed(by: purchase, member.name) : false,
        webOrderLineItemID: work.identity.webOrderLineItemID(of: id), storefront: try member.storefront,
        appTransactionID: work.identity.appTransactionID(of: scope)))
    record.revision = try Revisions.take(work.database)
    let stored = StoredTransaction(
      sequence: sequence, record: record, account: member.name, installationID: nil, paymentID: nil,
      finishedDate: nil, sharedTransactionID: bought.transactionID)
    try stored.insert(work.database)
    try work.events.record(.added(stored))
  }

  /// Whether a member needs no share of a purchase: the member has a share of this period, or owns the non-consumable.
  private func isShared(_ purchase: StoredTransaction, with scope: Scope) throws -> Bool {
    guard purchase.record.type == .autoRenewableSubscription else {
      return try work.ownership(scope).transaction(owning: purchase.record.productID) != nil
    }
    return try Bool.fetchOne(
      try work.database.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM transactionRecord WHERE sharedTransactionID = ? AND account = ? AND revocationDate IS NULL)
          """),
      arguments: [purchase.record.transactionID.rawValue, scope.account.rawValue]) == true
  }

  /// The first share that a member received of the purchaser's subscription. It is the original transaction of all later
  /// ones, also after the member has left the family and come back. Nil for other types.
  ///
  /// Two relatives' subscriptions of one group have different first shares. In earlier versions they had the same one; the
  /// purchaser to whom it does not belong gets another.
  private func firstShare(of purchase: StoredTransaction, with member: AccountName) throws -> TransactionRecord? {
    guard purchase.record.type == .autoRenewableSubscription else { return nil }
    // CROSS JOIN keeps this order. The newest period with a share is nearly always the previous one.
    return try StoredTransaction.fetchOne(
      try work.database.cachedStatement(
        sql: """
          SELECT first.* FROM transactionRecord AS period
          CROSS JOIN transactionRecord AS share ON share.sharedTransactionID = period.transactionID AND share.account = ?1
          CROSS JOIN transactionRecord AS first ON first.transactionID = share.originalTransactionID
          CROSS JOIN transactionRecord AS firstPeriod ON firstPeriod.transactionID = first.sharedTransactionID
          WHERE period.originalTransactionID = ?2 AND firstPeriod.originalTransactionID = ?2
          ORDER BY period.sequence DESC LIMIT 1
          """),
      arguments: [member.rawValue, purchase.record.originalTransactionID.rawValue])?.record
  }

  /// Whether a period is a renewal, and the member has a share of the period before.
  private func isRenewed(by purchase: StoredTransaction, _ member: AccountName) throws -> Bool {
    guard purchase.record.reason == .renewal else { return false }
    return try Bool.fetchOne(
      try work.database.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM transactionRecord AS share
            JOIN transactionRecord AS period ON period.transactionID = share.sharedTransactionID
            WHERE share.account = ?1 AND share.revocationDate IS NULL AND period.sequence = (
              SELECT max(sequence) FROM transactionRecord WHERE originalTransactionID = ?2 AND sequence < ?3))
          """),
      arguments: [member.rawValue, purchase.record.originalTransactionID.rawValue, purchase.sequence]) == true
  }

  private func revoke(_ shares: [StoredTransaction], reason: RevocationReason) throws {
    if !shares.isEmpty { try work.makeReceiptsLater() }
    for var share in shares {
      share.record.revocationDate = work.now.wholeSeconds
      share.record.revocationReason = reason
      share.record.revocationType = .familyRevoke
      try share.revise(work.database)
      try work.events.record(.shareRevoked(share, keepsProduct: try work.revocations.keepsProduct(of: share)))
    }
  }

  /// The shares of a purchase that are not revoked.
  private func shares(of purchase: StoredTransaction) throws -> [StoredTransaction] {
    try StoredTransaction.fetchAll(
      work.database,
      sql: "SELECT * FROM transactionRecord WHERE sharedTransactionID = ? AND revocationDate IS NULL ORDER BY sequence",
      arguments: [purchase.record.transactionID.rawValue])
  }

  private func received(by customer: Customer) throws -> [StoredTransaction] {
    try shares(
      of: customer,
      where: "share.account = ?2 AND share.environment = ?3 AND share.sharedTransactionID IS NOT NULL")
  }

  private func given(by customer: Customer) throws -> [StoredTransaction] {
    try shares(
      of: customer,
      where: """
        share.sharedTransactionID IN (
          SELECT transactionID FROM transactionRecord
          WHERE account = ?2 AND environment = ?3 AND sharedTransactionID IS NULL)
        """)
  }

  private func shares(of customer: Customer, where condition: String) throws -> [StoredTransaction] {
    try StoredTransaction.fetchAll(
      work.database,
      sql: """
        SELECT share.* FROM transactionRecord AS share
        WHERE \(condition) AND share.revocationDate IS NULL
          AND (share.type = 'Non-Consumable' OR share.expiresDate > ?1
            OR \(SubscriptionRow.isInGracePeriod("share.sharedTransactionID")))
        ORDER BY share.sequence
        """,
      arguments: [work.now.millisecondsSince1970, customer.name.rawValue, customer.environment.rawValue])
  }

  /// The purchases of a customer in every app that can be shared now.
  private func shareable(of customer: Customer) throws -> [StoredTransaction] {
    try StoredTransaction.fetchAll(
      work.database,
      sql: """
        SELECT * FROM transactionRecord
        WHERE account = ?1 AND environment = ?2 AND type IN ('Non-Consumable', 'Auto-Renewable Subscription')
          AND sharedTransactionID IS NULL AND revocationDate IS NULL AND NOT isUpgraded
          AND (type = 'Non-Consumable' OR expiresDate > ?3)
        ORDER BY sequence
        """,
      arguments: [customer.name.rawValue, customer.environment.rawValue, work.now.millisecondsSince1970])
  }
}
