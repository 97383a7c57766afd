import GRDB
import StoreModel

extension EmulatedAppStore {
  /// What `account` holds of a product, so that it is not charged for it again: what it bought before what is shared with
  /// it. Nil for a product that can be bought again and again.
  static func held(
    _ product: ProductID, by account: AccountName, of bundleID: BundleID, in environment: StoreEnvironment,
    at now: StoreDate, database: Database
  ) throws -> StoredTransaction? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM transactionRecord
        WHERE account = ? AND bundleID = ? AND environment = ? AND productID = ? AND type <> 'Consumable'
          AND revocationDate IS NULL AND (type = 'Non-Consumable' OR expiresDate > ?)
        ORDER BY sharedTransactionID IS NOT NULL, sequence LIMIT 1
        """)
    return try StoredTransaction.fetchOne(
      statement,
      arguments: [
        account.rawValue, bundleID.rawValue, environment.rawValue, product.rawValue, now.millisecondsSince1970,
      ])
  }

  /// The records of a subscription group that an account has: the latest first.
  static func subscriptions(
    of account: AccountName, to group: SubscriptionGroupID, of bundleID: BundleID, in environment: StoreEnvironment,
    database: Database
  ) throws -> [StoredTransaction] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM transactionRecord
        WHERE account = ? AND bundleID = ? AND environment = ? AND subscriptionGroupID = ? AND type <> 'Consumable'
        ORDER BY sequence DESC
        """)
    return try StoredTransaction.fetchAll(
      statement, arguments: [account.rawValue, bundleID.rawValue, environment.rawValue, group.rawValue])
  }

  /// Whether an account has an active subscription of a group.
  static func isSubscribed(
    _ account: AccountName, to group: SubscriptionGroupID, of bundleID: BundleID, in environment: StoreEnvironment,
    at now: StoreDate, database: Database
  ) throws -> Bool {
    try subscriptions(of: account, to: group, of: bundleID, in: environment, database: database)
      .contains { $0.record.isActive(at: now) }
  }

  /// Why a product cannot be sold to an account: because a subscription of its group is active. Nil where it can.
  static func refusalOfSecondSubscription(
    to product: ProductDefinition, of account: AccountName, _ bundleID: BundleID, _ environment: StoreEnvironment,
    at now: StoreDate, in database: Database
  ) throws -> StoreRefusal? {
    guard let group = product.subscription?.groupID,
      try isSubscribed(account, to: group, of: bundleID, in: environment, at: now, database: database)
    else { return nil }
    return StoreRefusal(
      .alreadySubscribed, "You're currently subscribed to this.",
      appError: AppError(
        domain: "SKErrorDomain", code: 0, underlying: AppError.Underlying(domain: "ASDServerErrorDomain", code: 3532)))
  }

  /// Makes true what a customer confirmed: charges it, or delivers what the account holds already. The caller's commit makes it
  /// the outcome of the payment.
  func provide(
    _ quote: PaymentQuote, for installation: Installation, now: StoreDate, in database: Database
  ) throws -> Provision {
    let held = try Self.held(
      quote.payment.productID, by: quote.account, of: installation.bundleID, in: installation.environment, at: now,
      database: database)
    if let held {
      return try redeliver(held, answering: quote.payment, on: installation.installationID, now: now, in: database)
    }
    return Provision(
      stored: try charge(
        quote, environment: installation.environment, bundleID: installation.bundleID,
        installationID: installation.installationID, now: now, in: database))
  }

  /// Delivers a record once more, without charge. The caller's commit makes it the outcome of a payment.
  private func redeliver(
    _ stored: StoredTransaction, answering payment: PaymentRequest, on installationID: InstallationID, now: StoreDate,
    in database: Database
  ) throws -> Provision {
    let redelivery = try Redelivery.next(
      of: stored, answering: payment.paymentID.rawValue.isEmpty ? nil : payment.paymentID,
      applicationUsername: payment.applicationUsername, on: installationID, date: now, in: database)
    try redelivery.insert(database)
    return Provision(stored: stored, redelivery: redelivery)
  }

  /// What was decided for a payment, by the id its transaction was given.
  static func provision(_ id: TransactionID, in database: Database) throws -> Provision {
    if let redelivery = try Redelivery.lookUp(["transactionID": id.rawValue], in: database) {
      return Provision(stored: try transaction(redelivery.recordID, in: database), redelivery: redelivery)
    }
    return Provision(stored: try transaction(id, in: database))
  }

  /// What an installation has not finished, oldest first. What was taken back meanwhile is not delivered any
  /// more; see ``TransactionRecord/isDeliverable``.
  static func unfinishedProvisions(
    on installationID: InstallationID, in database: Database
  ) throws -> [Provision] {
    let records = try StoredTransaction.fetchAll(
      try database.cachedStatement(
        sql: "SELECT * FROM transactionRecord WHERE installationID = ? AND finishedDate IS NULL ORDER BY sequence"),
      arguments: [installationID.rawValue])
    let redeliveries = try Redelivery.fetchAll(
      try database.cachedStatement(
        sql: "SELECT * FROM redelivery WHERE installationID = ? AND finishedDate IS NULL ORDER BY sequence"),
      arguments: [installationID.rawValue])
    let provisions =
      records.map { Provision(stored: $0) }
      + (try redeliveries.map {
        Provision(stored: try transaction($0.recordID, in: database), redelivery: $0)
      })
    return provisions.filter(\.stored.record.isDeliverable).sorted { $0.sequence < $1.sequence }
  }
}

extension TransactionRecord {
  /// Begins a subscription's period at the purchase date.
  mutating func begin(_ terms: SubscriptionTerms?, webOrderLineItemID id: String) {
    guard let terms else { return }
    subscriptionGroupID = terms.groupID
    expiresDate = terms.period.end(from: purchaseDate)
    webOrderLineItemID = id
  }

  /// Whether it is delivered until it is finished: what was not revoked, and a consumable of which a part stays paid. The
  /// revocation is on the record that is delivered.
  var isDeliverable: Bool {
    revocationDate == nil || type == .consumable && revocationPercentage ?? Percentage.whole < Percentage.whole
  }

  /// The same of a row of `transactionRecord`, in SQL.
  static let isDeliverableSQL =
    "(revocationDate IS NULL OR (type = 'Consumable' AND revocationPercentage < \(Percentage.whole)))"

  /// Whether a subscription's period has not ended and was not taken back.
  func isActive(at now: StoreDate) -> Bool { revocationDate == nil && expiresDate.map { $0 > now } == true }
}
