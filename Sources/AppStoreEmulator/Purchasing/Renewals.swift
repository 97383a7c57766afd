import GRDB
import StoreModel

extension StoreUnitOfWork {
  var renewals: Renewals { Renewals(work: self) }
}

/// Renews subscriptions when their periods end, and charges renewals that failed before.
struct Renewals {
  let work: StoreUnitOfWork

  /// The plan of a product as a customer would buy it now; nil if the product is not on sale, or the customer was
  /// deleted.
  func plan(_ productID: ProductID, for scope: Scope) throws -> SubscriptionPlan? {
    guard let customer = try work.customers.find(scope.account, scope.environment)?.customer,
      let product = try work.catalog.productOnSale(productID, of: scope.bundleID), let terms = product.subscription
    else { return nil }
    let listing = product.listing(
      in: try customer.storefront, of: try work.catalog.app(scope.bundleID).catalogDefaults)
    return SubscriptionPlan(
      productID: productID, level: terms.groupLevel, period: terms.period, price: listing.price,
      offers: listing.subscription?.offers ?? [])
  }

  /// The price of a subscription's next period; nil if its product is not on sale.
  func nextPrice(of row: SubscriptionRow) throws -> Price? {
    guard let plan = try plan(row.state.renewalProductID, for: row.scope) else { return nil }
    return row.state.nextPrice(plan)
  }

  /// Charges the failed renewals of a customer whose payment method is valid again.
  func recover(_ account: AccountName, _ environment: StoreEnvironment) throws {
    for row in try work.subscriptions.all(of: account, environment) where row.state.isRetrying {
      try carryOut(.paymentMethodFixed(try plan(row.state.renewalProductID, for: row.scope)), on: row)
    }
  }

  /// Applies an event, carries out its effects such as charges, and stores the subscription.
  ///
  /// - Throws: ``SubscriptionError`` if the event is not possible.
  func carryOut(_ event: SubscriptionEvent, on row: SubscriptionRow) throws {
    var (row, state) = (row, row.state)
    // Rounded down, because receipts contain whole seconds. All APIs then show the same date.
    let effects = try state.apply(event, at: work.now.wholeSeconds, try work.subscriptions.rules(of: row.bundleID))
    row.change(to: state)
    for effect in effects {
      switch effect {
      case .charge(let charge): try renew(&row, charge)
      case .extendCurrent(let date): try work.extensions.extend(row.currentTransactionID, to: date)
      case .upgradeCurrent(let share):
        try work.refunds.endByUpgrade(row.currentTransactionID, refundedShare: share)
      case .record: break
      }
    }
    try work.subscriptions.store(row, effects)
  }

  private func renew(_ row: inout SubscriptionRow, _ charge: PeriodCharge) throws {
    let previous = try work.fulfilments.transaction(row.currentTransactionID)
    let stored = try work.charges.charge(charge, after: previous)
    row.currentTransactionID = stored.record.transactionID
    // A running app is notified of the renewal at once, a closed app when it is launched.
    if let installationID = stored.installationID {
      try work.deviceNotifier.notify(installationID, StoreChange(.transactionsWaiting))
    } else {
      try work.deviceNotifier.notify(row.scope, StoreChange(.transactionsWaiting))
    }
  }
}

/// Settles subscriptions at the end of a period, a grace period or a billing retry.
extension Renewals: DueRows {
  static func earliestDate(in database: Database) throws -> StoreDate? {
    try earliestDate(of: "dueDate", in: "subscription", database)
  }

  /// - Throws: ``StoreRefusal`` if the transaction could not be signed.
  func settleEarliest() throws {
    guard let row = try earliest() else { return }
    let customer = try work.customers.find(row.account, row.environment)?.customer
    try carryOut(
      .due(try plan(row.state.renewalProductID, for: row.scope), canCharge: customer?.paymentMethod == .valid), on: row)
  }

  func postponeEarliest() throws {
    guard var row = try earliest() else { return }
    row.postpone(to: work.now.adding(seconds: Self.secondsUntilRetry))
    try row.update(work.database)
  }

  /// The delay before the store tries again to settle a subscription: one day.
  private static let secondsUntilRetry: Int64 = 86_400

  private func earliest() throws -> SubscriptionRow? {
    try SubscriptionRow.fetchOne(
      try work.database.cachedStatement(
        sql: "SELECT * FROM subscription WHERE dueDate IS NOT NULL ORDER BY dueDate, originalTransactionID LIMIT 1"))
  }
}
