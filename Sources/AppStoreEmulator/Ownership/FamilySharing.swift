import GRDB
import StoreModel

extension StoreUnitOfWork {
  var familySharing: FamilySharing { FamilySharing(work: self) }
}

/// Shares purchases with the purchaser's family. Each share is a separate transaction of the family member.
struct FamilySharing {
  let work: StoreUnitOfWork

  /// Shares a purchase with the members of the purchaser's family who do not own the product, if it can be shared.
  func share(_ purchase: StoredTransaction) throws {
    let record = purchase.record
    guard record.type.isRestorable, purchase.sharedTransactionID == nil,
      let family = try work.customers.find(purchase.account, record.environment)?.customer.family,
      try work.catalog.product(record.productID, of: record.bundleID)?.definition.isFamilyShareable == true
    else { return }
    for member in try work.customers.members(of: family, record.environment) where member.name != purchase.account {
      try share(purchase, with: member)
    }
  }

  private func share(_ purchase: StoredTransaction, with member: Customer) throws {
    let (bought, now) = (purchase.record, work.now.wholeSeconds)
    // A subscription period that has ended is not shared.
    guard bought.expiresDate.map({ $0 > now }) ?? true else { return }
    let scope = Scope(account: member.name, bundleID: bought.bundleID, environment: bought.environment)
    guard try work.ownership(scope).transaction(owning: bought.productID) == nil else { return }
    let (sequence, id) = try work.takeTransactionNumber()
    let storefront = try member.storefront
    // All shares of a subscription group have the same original transaction, like periods that the member bought.
    let first = try bought.subscriptionGroupID.flatMap {
      try work.ownership(scope).newestSubscription(in: $0, isShared: true)?.record
    }
    var record = TransactionRecord(
      environment: bought.environment, bundleID: bought.bundleID, transactionID: id,
      originalTransactionID: first?.originalTransactionID ?? id, productID: bought.productID, type: bought.type,
      purchaseDate: now, originalPurchaseDate: first?.originalPurchaseDate ?? now, quantity: 1,
      price: .zero, currency: storefront.currency, storefrontCountryCode: storefront.countryCode,
      storefrontID: storefront.identifier, reason: .purchase,
      appTransactionID: work.identity.appTransactionID(of: scope))
    record.itemID = bought.itemID
    record.ownership = .familyShared
    record.subscriptionGroupID = bought.subscriptionGroupID
    record.expiresDate = bought.expiresDate
    record.webOrderLineItemID = bought.expiresDate.map { _ in work.identity.webOrderLineItemID(of: id) }
    try StoredTransaction(
      sequence: sequence, record: record, account: member.name, installationID: nil, paymentID: nil,
      finishedDate: nil, sharedTransactionID: bought.transactionID
    ).insert(work.database)
    try work.deviceNotifier.notify(scope, StoreChange(.transactionsWaiting))
  }

  /// Revokes the shares of a purchase that was revoked or upgraded. If another member of the family bought the product
  /// too, that purchase is shared instead.
  func endSharing(of purchase: StoredTransaction, reason: RevocationReason) throws {
    try revoke(shares(of: purchase), reason: reason)
    guard let family = try work.customers.find(purchase.account, purchase.record.environment)?.customer.family
    else { return }
    try shareEverything(in: family, purchase.record.environment)
  }

  /// Revokes the shares that a customer received or gave. Then shares the purchases of all members again, in the
  /// previous family and in the new one.
  func familyChanged(of customer: Customer, before: String?) throws {
    for stored in try restorable(of: customer.name, customer.environment) {
      try revoke(stored.sharedTransactionID == nil ? shares(of: stored) : [stored], reason: .other)
    }
    for family in [before, customer.family].compactMap(\.self) {
      try shareEverything(in: family, customer.environment)
    }
  }

  private func revoke(_ shares: [StoredTransaction], reason: RevocationReason) throws {
    if !shares.isEmpty { try work.makeReceiptsLater() }
    for var share in shares {
      share.record.revocationDate = work.now.wholeSeconds
      share.record.revocationReason = reason
      share.record.revocationType = .familyRevoke
      try share.update(work.database)
      try work.revocations.notify(share)
    }
  }

  /// The shares of a purchase that are not revoked.
  private func shares(of purchase: StoredTransaction) throws -> [StoredTransaction] {
    try StoredTransaction.fetchAll(
      work.database,
      sql: "SELECT * FROM transactionRecord WHERE sharedTransactionID = ? AND revocationDate IS NULL ORDER BY sequence",
      arguments: [purchase.record.transactionID.rawValue])
  }

  private func shareEverything(in family: String, _ environment: StoreEnvironment) throws {
    for member in try work.customers.members(of: family, environment) {
      for purchase in try restorable(of: member.name, environment) { try share(purchase) }
    }
  }

  /// The current transactions of restorable kinds that a customer has in every app.
  private func restorable(of account: AccountName, _ environment: StoreEnvironment) throws -> [StoredTransaction] {
    try StoredTransaction.fetchAll(
      work.database,
      sql: """
        SELECT * FROM transactionRecord
        WHERE account = ? AND environment = ? AND type IN ('Non-Consumable', 'Auto-Renewable Subscription')
          AND revocationDate IS NULL AND NOT isUpgraded
        ORDER BY sequence
        """,
      arguments: [account.rawValue, environment.rawValue])
  }
}
