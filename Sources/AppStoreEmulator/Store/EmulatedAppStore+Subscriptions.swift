import StoreModel

extension EmulatedAppStore {
  /// A customer's subscriptions in all apps.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownCustomer(_:_:)``.
  public func subscriptions(
    of account: AccountName, in environment: StoreEnvironment
  ) async throws -> [RenewalRecord] {
    try await database.read { work in
      _ = try work.customers.customer(account, environment)
      return try work.subscriptions.all(of: account, environment).map(RenewalRecord.init)
    }
  }

  /// The subscription whose first transaction is `original`.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownSubscription(_:)``.
  public func subscription(_ original: TransactionID) async throws -> RenewalRecord {
    try await database.read { RenewalRecord(try $0.subscriptions.subscription(original)) }
  }

  /// The subscription to which a transaction belongs as one of its periods. Nil for other transactions, for family
  /// shares, and for periods that an earlier version of the store sold.
  public func subscription(of record: TransactionRecord) async throws -> RenewalRecord? {
    try await database.read { try $0.subscriptions.find(record).map(RenewalRecord.init) }
  }

  /// The history of a subscription, oldest step first.
  ///
  /// - Parameter limit: the maximum number of steps; nil for all. If there are more, the newest are returned.
  /// - Throws: ``AppStoreEmulatorError/unknownSubscription(_:)``.
  public func history(
    ofSubscription original: TransactionID, limit: Int? = nil
  ) async throws -> [RenewalRecord.Step] {
    try await database.read { work in
      _ = try work.subscriptions.subscription(original)
      return try work.subscriptions.history(of: original, limit: limit).map { .init(step: $0.step, date: $0.date) }
    }
  }

  /// Turns automatic renewal on or off, as the customer does in the device's settings.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownSubscription(_:)``;
  ///   ``AppStoreEmulatorError/subscriptionNotChangeable(_:reason:)`` if the subscription has ended.
  @discardableResult
  public func setAutoRenew(ofSubscription original: TransactionID, isOn: Bool) async throws -> RenewalRecord {
    try await changeSubscription(original, by: [.autoRenew(isOn: isOn)])
  }

  /// Applies changes to a subscription in one commit. If one change fails, none is applied.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownSubscription(_:)``;
  ///   ``AppStoreEmulatorError/subscriptionNotChangeable(_:reason:)``; other ``AppStoreEmulatorError`` if a price or a
  ///   date is out of range.
  @discardableResult
  public func changeSubscription(
    _ original: TransactionID, by adjustments: [SubscriptionAdjustment]
  ) async throws -> RenewalRecord {
    try await database.write { try $0.subscriptionChanges.change(original, by: adjustments) }
  }

  /// How an app's subscriptions renew.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownApp(_:known:)``.
  public func renewalRules(of bundleID: BundleID) async throws -> RenewalRules {
    try await database.read { try $0.subscriptions.rules(of: bundleID) }
  }

  /// Changes how an app's subscriptions renew. Periods that have begun keep their end date.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownApp(_:known:)``, ``AppStoreEmulatorError/gracePeriodOutOfRange(_:)``.
  public func setRenewalRules(_ rules: RenewalRules, of bundleID: BundleID) async throws {
    try await database.write { try $0.catalog.setRenewalRules(rules, of: bundleID) }
  }
}
