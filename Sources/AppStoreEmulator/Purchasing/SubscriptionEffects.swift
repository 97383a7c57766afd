import StoreModel

extension StoreUnitOfWork {
  var subscriptionEffects: SubscriptionEffects { SubscriptionEffects(work: self) }
}

/// Changes subscriptions by events, and carries out what follows from an event: charges, the end of an upgraded period,
/// extensions, and the history. Every change of a subscription is made here, in the commit of its cause.
struct SubscriptionEffects {
  let work: StoreUnitOfWork

  /// Applies an event that no purchase caused. A new period is charged with the values of the previous period.
  ///
  /// - Throws: ``SubscriptionError`` if the event is not possible.
  func apply(_ event: SubscriptionEvent, to row: SubscriptionRow) throws {
    var state = row.state
    let effects = try state.apply(event, at: date, try work.subscriptions.rules(of: row.bundleID))
    let charged = try carryOut(effects, on: row) { charge in
      try work.charges.charge(charge, after: work.storedTransaction(row.currentTransactionID))
    }
    try store(row, state, charged, effects)
  }

  /// Begins a subscription by a purchase. If the customer already had one in the group, restarts or upgrades that one.
  ///
  /// - Parameter sale: the confirmed purchase. Only its price may be charged.
  /// - Throws: ``StoreRefusal`` if the subscription has changed since the quote; ``SubscriptionError``.
  func begin(
    _ plan: SubscriptionPlan, offer: SubscriptionOffer?, in groupID: SubscriptionGroupID, with sale: Sale
  ) throws -> StoredTransaction {
    let rules = try work.subscriptions.rules(of: sale.scope.bundleID)
    let earlier = try work.subscriptions.find(groupID, of: sale.scope)
    var (state, effects): (Subscription, [SubscriptionEffect])
    if let earlier {
      state = earlier.state
      effects = try state.apply(.purchased(plan, offer: offer), at: sale.date, rules)
    } else {
      (state, effects) = Subscription.begin(plan, offer: offer, at: sale.date, rules)
    }
    let charged = try carryOut(effects, on: earlier) { charge in
      guard charge.price == sale.price else { throw StoreRefusal.subscriptionChanged }
      var sale = sale
      sale.period = Sale.Period(charge, in: groupID, after: try firstPeriod(of: earlier, in: groupID, sale.scope))
      if let earlier, TransactionRecord.accountToken(of: sale.applicationUsername) == nil {
        sale.serverAccountToken = try work.storedTransaction(earlier.currentTransactionID).record.serverAccountToken
      }
      return try work.charges.make(sale)
    }
    guard let charged else { throw StoreRefusal.subscriptionChanged }
    let record = charged.record
    let row =
      earlier
      ?? SubscriptionRow(
        state, of: sale.scope, in: groupID, original: record.originalTransactionID, current: record.transactionID)
    try store(row, state, charged, effects)
    return charged
  }

  // Rounded down, because receipts contain whole seconds. All APIs then show the same date.
  private var date: StoreDate { work.now.wholeSeconds }

  /// Carries out effects in their order. The caller stores the subscription.
  ///
  /// - Parameters:
  ///   - row: the subscription before the event; nil if the event begins it.
  ///   - charge: makes the transaction of a period.
  /// - Returns: the transaction of the period that was charged; nil if none was.
  private func carryOut(
    _ effects: [SubscriptionEffect], on row: SubscriptionRow?, charge: (PeriodCharge) throws -> StoredTransaction
  ) throws -> StoredTransaction? {
    var charged: StoredTransaction?
    for effect in effects {
      switch effect {
      case .charge(let period): charged = try charge(period)
      case .upgradeCurrent(let share): try endByUpgrade(current(of: row), refundedShare: share)
      case .moveEnd(let end): try work.extensions.extend(current(of: row), to: end)
      // Stored with the subscription, which its history refers to.
      case .record: break
      }
    }
    return charged
  }

  private func current(of row: SubscriptionRow?) throws -> TransactionID {
    guard let row else { throw StoreRefusal.subscriptionChanged }
    return row.currentTransactionID
  }

  private func store(
    _ row: SubscriptionRow, _ state: Subscription, _ charged: StoredTransaction?, _ effects: [SubscriptionEffect]
  ) throws {
    var row = row
    row.change(to: state)
    if let charged { row.currentTransactionID = charged.record.transactionID }
    try work.subscriptions.store(row, effects)
  }

  /// The first period of a customer in a group, whose original transaction id a new period has, too; nil if there was
  /// none.
  private func firstPeriod(
    of earlier: SubscriptionRow?, in groupID: SubscriptionGroupID, _ scope: Scope
  ) throws -> TransactionRecord? {
    // Periods that an earlier version of the store sold have no `subscription` row, but their original transaction id
    // is used.
    try earlier.map { try work.storedTransaction($0.originalTransactionID).record }
      ?? work.ownership(scope).newestPurchase(in: groupID)?.record
  }

  /// Ends the period of a subscription that is upgraded, and refunds a share of its price.
  ///
  /// - Parameter share: in thousandths of a percent.
  private func endByUpgrade(_ id: TransactionID, refundedShare share: Int) throws {
    var stored = try work.storedTransaction(id)
    stored.record.isUpgraded = true
    stored.record.upgradeDate = date
    try stored.revise(work.database)
    try work.makeReceiptsLater()
    let refund = try work.charges.refund(share: share, of: stored)
    try work.events.record(.upgraded(stored, refund: refund, share: share))
    try work.familySharing.endSharing(of: stored, reason: .other)
  }
}

extension StoreRefusal {
  static let subscriptionChanged = StoreRefusal(
    .productNotAvailable, "The subscription has changed since the purchase was confirmed. Nothing was charged.")
}
