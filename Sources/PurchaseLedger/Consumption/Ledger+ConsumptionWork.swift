import StoreModel

extension Ledger {
  /// Takes a request for information about consumption that is due, so that no other server works on it for
  /// ``ConsumptionLease/seconds``. If this server is killed meanwhile, the request is due again after that time.
  ///
  /// - Returns: nil if none is due.
  public func takeConsumptionRequest() async throws -> ConsumptionLease? {
    let (now, apps) = (clock.now, bundleIDs)
    let until = now.adding(seconds: ConsumptionLease.seconds)
    return try await database.write(locking: []) { transaction in
      for app in apps {
        while let row = try transaction.dueConsumptionRequest(of: app, now) {
          let lease = try ConsumptionLease(row, app: app, until: until)
          let isTaken =
            try transaction.execute(
              """
              UPDATE consumption_request SET due = $3, attempts = $4 WHERE app = $1 AND uuid = $2 AND due = $5
              """, app, lease.uuid, until, lease.attempts, try row.date("due")) > 0
          // Otherwise another server has taken it.
          if isTaken { return lease }
        }
      }
      return nil
    }
  }

  /// Returns when the next request is due, by the server's clock; nil if there is none.
  public func nextConsumptionDue() async throws -> StoreDate? {
    let apps = bundleIDs
    return try await database.read { transaction in
      try apps.compactMap { app in
        try transaction.row(
          "SELECT due FROM consumption_request WHERE app = $1 AND due IS NOT NULL ORDER BY due LIMIT 1", app
        )?.date("due")
      }.min()
    }
  }

  /// Decides what to do with a request. The owner of the purchase and the consent are read last, so that they are those of this
  /// moment.
  public func step(for lease: ConsumptionLease) async throws -> ConsumptionStep {
    let settings = try settings(of: lease.app).consumption
    guard now < lease.deadline else { return .end }
    guard settings.policy != .off, lease.state != .waiting else { return .leave }
    guard let claim = try await database.read({ try $0.claim(lease.claim) }) else { return .hold(.unclaimed) }
    guard try await consent(of: claim).consumptionInformation else { return .hold(.noConsent) }
    let values = try await share(of: claim).answer(lease.chosen, lease.type, settings)
    let consent = try await consent(of: claim)
    guard consent.consumptionInformation, let date = consent.changed else { return .hold(.noConsent) }
    return .send(values, consented: date)
  }

  /// The consent of a claim's owner; none if the claim has another owner now.
  private func consent(of claim: Claim) async throws -> CustomerConsent {
    try await database.read { transaction in
      guard try transaction.claim(claim.key)?.customer == claim.customer else {
        return CustomerConsent(consumptionInformation: false, changed: nil)
      }
      return try transaction.consent(of: claim.customer, app: claim.key.app)
    }
  }

  /// Returns what the ledger knows about the use of a purchase.
  func share(of claim: Claim) async throws -> ConsumptionShare {
    guard claim.type.lasts else {
      guard claim.unit != nil else { return ConsumptionShare(wasDelivered: true, percentage: nil) }
      return ConsumptionShare(credits: try await credits(of: claim))
    }
    let entitlement = try await readAccess { transaction in
      try transaction.expectScheduledPasses(of: claim.customer)
      return try transaction.entitlement(of: claim.customer, app: claim.key.app, source: claim.source)
    }
    guard let entitlement else { return ConsumptionShare(wasDelivered: false, percentage: 0) }
    guard claim.type == .nonRenewingSubscription, let days = claim.accessDays, days > 0,
      let end = entitlement.accessUntil
    else { return ConsumptionShare(wasDelivered: true, percentage: nil) }
    // At most `LedgerProduct.mostAccessDays`: less than 10¹⁴ ms, and times 10⁵ it does not overflow.
    let length = days * 86_400_000
    let elapsed = length - (end.millisecondsSince1970 - now.millisecondsSince1970)
    return ConsumptionShare(
      wasDelivered: true, percentage: ConsumptionShare.percentage(min(max(elapsed, 0), length), of: length))
  }

  /// Stores the result of a step, and when the request is due again. It is completed even if the task is cancelled, so that a
  /// server that stops does not send an accepted answer again.
  ///
  /// - Returns: the new state; nil if the lease was over and something else has changed the request. Then nothing is stored.
  public func settle(_ lease: ConsumptionLease, _ result: ConsumptionResult) async throws -> ConsumptionState? {
    let isOff = try settings(of: lease.app).consumption.policy == .off
    let change = ConsumptionChange(result, of: lease, isOff: isOff, now: clock.now, storeNow: now)
    return try await Task { [database] in
      try await database.write(locking: []) { try $0.settle(lease, change) ? change.state : nil }
    }.value
  }
}

/// What is stored about a request after a step.
private struct ConsumptionChange: Sendable {
  let state: ConsumptionState
  /// Nil in a final state.
  let due: StoreDate?
  let settled: StoreDate?
  var problem: String?
  var values: ConsumptionValues
  var consented: StoreDate?

  /// - Parameter isOff: whether the policy of the app is `off` now. Then nobody was to answer, so the request does not expire.
  init(
    _ result: ConsumptionResult, of lease: ConsumptionLease, isOff: Bool, now: StoreDate, storeNow: StoreDate
  ) {
    let left = max(0, lease.deadline.millisecondsSince1970 - storeNow.millisecondsSince1970)
    let deadline = now.adding(milliseconds: left)
    var (state, due, problem): (ConsumptionState, StoreDate?, String?) = (lease.state, nil, nil)
    var (values, consented): (ConsumptionValues, StoreDate?) = (lease.chosen, nil)
    switch result {
    case .accepted(let sent, let date): (state, values, consented) = (.answered, sent, date)
    case .refused(let reason): (state, problem) = (.refused, reason)
    case .failed(let reason, let seconds):
      (state, problem) = (.open, reason)
      due = min(deadline, now.adding(seconds: max(lease.pauseSeconds, seconds)))
    case .held(let reason):
      state = reason
      due = min(deadline, now.adding(seconds: min(ConsumptionLease.mostHeldSeconds, lease.pauseSeconds)))
    case .left where !isOff: due = deadline
    case .left, .ended: if state == .open || state == .waiting { state = isOff ? .closed : .expired }
    }
    self.state = state
    self.due = due
    settled = due == nil ? now : nil
    self.problem = problem
    self.values = values
    self.consented = consented
  }
}

extension LedgerTransaction {
  fileprivate func dueConsumptionRequest(of app: BundleID, _ now: StoreDate) throws -> SQLRow? {
    try row(
      """
      SELECT due, \(RecordedConsumptionRequest.columns) FROM consumption_request
      WHERE app = $1 AND due <= $2 ORDER BY due LIMIT 1
      """, app, now)
  }

  fileprivate func settle(_ lease: ConsumptionLease, _ change: ConsumptionChange) throws -> Bool {
    try execute(
      """
      UPDATE consumption_request
      SET state = $4, due = $5, settled = $6, problem = CASE WHEN $4 IN ('expired', 'closed') THEN problem ELSE $7 END, delivery = $8,
        percentage = $9, preference = $10, sample = $11, consented = $12
      WHERE app = $1 AND uuid = $2 AND due = $3
      """, lease.app, lease.uuid, lease.until, change.state, change.due, change.settled, change.problem,
      change.values.deliveryStatus, change.values.consumptionPercentage, change.values.refundPreference,
      change.values.sampleContentProvided, change.consented) > 0
  }
}
