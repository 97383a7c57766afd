import StoreModel

/// Whether a customer agrees that the App Store is told how much of a purchase was used, if the customer asks for its refund.
public struct CustomerConsent: Hashable, Codable, Sendable {
  /// False until the customer agrees, and after the consent was withdrawn.
  public let consumptionInformation: Bool
  /// When the customer agreed or withdrew; nil if the app has never sent either.
  public let changed: StoreDate?
}

extension Ledger {
  /// Records that a customer consents, or withdraws the consent. The app must have asked the customer. A repeated call changes
  /// nothing.
  ///
  /// - Throws: ``LedgerError/unknownCustomer(_:)``; ``LedgerError/unknownApp(_:)``.
  public func setConsent(
    toConsumptionInformation isGiven: Bool, of customer: CustomerID, app: BundleID
  ) async throws -> CustomerConsent {
    _ = try settings(of: app)
    let now = clock.now
    return try await database.write(locking: [.customer(customer)]) { transaction in
      transaction.change = LedgerChange(date: now)
      _ = try transaction.expect(customer)
      try transaction.execute(
        """
        INSERT INTO customer_consent (customer, app, consumption, changed) VALUES ($1, $2, $3, $4)
        ON CONFLICT (customer, app) DO UPDATE SET consumption = excluded.consumption, changed = excluded.changed
        WHERE customer_consent.consumption <> excluded.consumption
        """, customer, app, isGiven, now)
      return try transaction.consent(of: customer, app: app)
    }
  }

  /// Returns what a customer has consented to in an app.
  ///
  /// - Throws: ``LedgerError/unknownApp(_:)``.
  public func consent(of customer: CustomerID, app: BundleID) async throws -> CustomerConsent {
    _ = try settings(of: app)
    return try await database.read { try $0.consent(of: customer, app: app) }
  }
}

extension LedgerTransaction {
  func consent(of customer: CustomerID, app: BundleID) throws -> CustomerConsent {
    try row("SELECT consumption, changed FROM customer_consent WHERE customer = $1 AND app = $2", customer, app)
      .map { CustomerConsent(consumptionInformation: try $0.flag("consumption"), changed: try $0.date("changed")) }
      ?? CustomerConsent(consumptionInformation: false, changed: nil)
  }

  func removeConsents(of customer: CustomerID) throws {
    try require(.customer(customer))
    try execute("DELETE FROM customer_consent WHERE customer = $1", customer)
  }

  /// A consent is that of the customer who gave it: a join adds none. But what the newcomer has withdrawn or refused is withdrawn.
  func joinConsents(of newcomer: CustomerID, to existing: CustomerID) throws {
    try execute(
      """
      UPDATE customer_consent SET consumption = 0, changed = (
        SELECT n.changed FROM customer_consent n WHERE n.customer = $1 AND n.app = customer_consent.app)
      WHERE customer = $2 AND consumption = 1 AND app IN (
        SELECT n.app FROM customer_consent n WHERE n.customer = $1 AND n.consumption = 0)
      """, newcomer, existing)
    try removeConsents(of: newcomer)
  }
}
