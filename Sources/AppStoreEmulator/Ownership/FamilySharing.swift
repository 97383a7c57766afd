import GRDB
import StoreModel

extension EmulatedAppStore {
  /// Gives the members of the purchaser's family a record of their own, where the product is shareable and they have none.
  func share(_ purchase: StoredTransaction, in database: Database) throws {
    let record = purchase.record
    guard record.type.isRestorable, purchase.sharedTransactionID == nil,
      let family = try Self.find(purchase.account, record.environment, in: database)?.family,
      try ProductRow.find(record.productID, of: record.bundleID, in: database)?.definition.isFamilyShareable == true
    else { return }
    for member in try Self.members(of: family, record.environment, in: database) where member.name != purchase.account {
      try share(purchase, with: member, in: database)
    }
  }

  private func share(_ purchase: StoredTransaction, with member: Customer, in database: Database) throws {
    let now = try StoreRow.takeDate(database, clock: clock).wholeSeconds
    let bought = purchase.record
    // What is over is shared no more.
    guard bought.expiresDate.map({ $0 > now }) ?? true else { return }
    let held = try Self.held(
      bought.productID, by: member.name, of: bought.bundleID, in: bought.environment, at: now, database: database)
    guard held == nil else { return }
    let sequence = try StoreRow.takeSequence(database)
    let life = try StoreLife.fetch(database)
    let id = try life.transactionID(sequence: sequence)
    let storefront = try Self.storefront(of: member)
    var record = TransactionRecord(
      environment: bought.environment, bundleID: bought.bundleID, transactionID: id, originalTransactionID: id,
      productID: bought.productID, type: bought.type, purchaseDate: now, originalPurchaseDate: now, quantity: 1,
      price: .zero, currency: storefront.currency, storefrontCountryCode: storefront.countryCode,
      storefrontID: storefront.identifier, reason: .purchase,
      appTransactionID: life.identity.appTransactionID(
        account: member.name, environment: bought.environment, bundleID: bought.bundleID))
    record.itemID = bought.itemID
    record.ownership = .familyShared
    record.subscriptionGroupID = bought.subscriptionGroupID
    record.expiresDate = bought.expiresDate
    record.webOrderLineItemID = bought.expiresDate.map { _ in life.identity.webOrderLineItemID(of: id) }
    try StoredTransaction(
      sequence: sequence, record: record, account: member.name, installationID: nil, paymentID: nil,
      finishedDate: nil, sharedTransactionID: bought.transactionID
    ).insert(database)
    try Self.tell(
      StoreChange(.transactionsWaiting), to: member.name, of: bought.bundleID, bought.environment, in: database)
  }

  /// Takes back what was shared of a purchase that was taken back itself. Members for whom another of the family bought it too
  /// are shared that.
  func endSharing(
    of purchase: StoredTransaction, reason: RevocationReason, now: StoreDate, in database: Database
  ) throws {
    try takeBack(Self.shares(of: purchase, in: database), reason: reason, now: now, in: database)
    guard let family = try Self.find(purchase.account, purchase.record.environment, in: database)?.family
    else { return }
    try shareEverything(in: family, purchase.record.environment, in: database)
  }

  /// Takes back what was shared with a customer and by the customer, and shares anew in the family there was and the one there
  /// is.
  func familyChanged(of customer: Customer, before: String?, in database: Database) throws {
    let now = try StoreRow.takeDate(database, clock: clock).wholeSeconds
    for record in try Self.lasting(of: customer.name, customer.environment, in: database) {
      let shares = record.sharedTransactionID == nil ? try Self.shares(of: record, in: database) : [record]
      try takeBack(shares, reason: .other, now: now, in: database)
    }
    for family in [before, customer.family].compactMap(\.self) {
      try shareEverything(in: family, customer.environment, in: database)
    }
  }

  private func takeBack(
    _ shares: [StoredTransaction], reason: RevocationReason, now: StoreDate, in database: Database
  ) throws {
    if !shares.isEmpty { try StoreRow.makeReceiptsLater(database) }
    for var share in shares {
      share.record.revocationDate = now
      share.record.revocationReason = reason
      share.record.revocationType = .familyRevoke
      try share.update(database)
      try tellRevoked(share, in: database)
    }
  }

  /// What the family has of a purchase and was not taken back.
  private static func shares(of purchase: StoredTransaction, in database: Database) throws -> [StoredTransaction] {
    try StoredTransaction.fetchAll(
      database,
      sql: "SELECT * FROM transactionRecord WHERE sharedTransactionID = ? AND revocationDate IS NULL ORDER BY sequence",
      arguments: [purchase.record.transactionID.rawValue])
  }

  private func shareEverything(
    in family: String, _ environment: StoreEnvironment, in database: Database
  ) throws {
    for member in try Self.members(of: family, environment, in: database) {
      for purchase in try Self.lasting(of: member.name, environment, in: database) {
        try share(purchase, in: database)
      }
    }
  }

  private static func members(
    of family: String, _ environment: StoreEnvironment, in database: Database
  ) throws -> [Customer] {
    try Customer.fetchAll(
      database, sql: "SELECT * FROM customer WHERE environment = ? AND family = ? ORDER BY rowid",
      arguments: [environment.rawValue, family])
  }

  /// What an account has of restorable kinds and was not taken back, in every app.
  private static func lasting(
    of account: AccountName, _ environment: StoreEnvironment, in database: Database
  ) throws -> [StoredTransaction] {
    try StoredTransaction.fetchAll(
      database,
      sql: """
        SELECT * FROM transactionRecord
        WHERE account = ? AND environment = ? AND type IN ('Non-Consumable', 'Auto-Renewable Subscription')
          AND revocationDate IS NULL
        ORDER BY sequence
        """,
      arguments: [account.rawValue, environment.rawValue])
  }
}
