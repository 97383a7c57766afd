import SignedData
import StoreModel

extension Ledger {
  /// Creates an anonymous customer for an installation of an app. Each call creates another customer. Customers without claims
  /// are removed by ``removeUnusedInstallations(olderThanDays:)``.
  ///
  /// - Parameters:
  ///   - app: the app; it must be configured.
  ///   - device: the device identifier that the store puts into proofs: `identifierForVendor`, or a Mac's network
  ///     address; nil if it is not known.
  /// - Throws: ``LedgerError/unknownApp(_:)``.
  public func registerInstallation(
    app: BundleID, device: DeviceIdentifier?
  ) async throws -> RegisteredInstallation {
    _ = try settings(of: app)
    let (customer, token, now) = (CustomerID(rawValue: makeUUID()), BearerToken.make("customer"), clock.now)
    let storeDate = self.now
    try await database.write(locking: [.customer(customer)]) { transaction in
      try transaction.insertCustomer(customer, subject: nil, now)
      try transaction.execute(
        """
        INSERT INTO bearer_token (hash, customer, app, device, issued, store_date) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT DO NOTHING
        """, token.hash, customer, app, device?.description, now, storeDate)
    }
    return RegisteredInstallation(customer: customer, token: token)
  }

  /// Returns the holder of a customer's token.
  ///
  /// - Throws: ``LedgerError/tokenRefused`` if the token is unknown or was revoked.
  public func authenticate(_ token: BearerToken) async throws -> Claimant {
    let hash = token.hash
    return try await database.read { transaction in
      let row = try transaction.row(
        """
        SELECT t.customer, t.app, t.device, t.issued, t.store_date, c.subject FROM bearer_token t JOIN customer c ON c.id = t.customer
        WHERE t.hash = $1 AND t.revoked IS NULL AND c.erased IS NULL
        """, hash)
      guard let row else { throw LedgerError.tokenRefused }
      return Claimant(
        customer: try row.customer("customer"), isIdentified: try row.optionalText("subject") != nil,
        device: try row.optionalText("device").flatMap(DeviceIdentifier.init), app: try row.identifier("app"),
        registered: try row.optionalDate("store_date") ?? row.date("issued"), issued: try row.date("issued"))
    }
  }

  /// Returns the customer with a subject of the operator's identity system. The customer is created at the first call.
  ///
  /// - Parameter subject: the issuer and its name for the customer; 1 to 512 bytes.
  /// - Throws: ``LedgerError/invalid(_:)``.
  public func identify(subject: String) async throws -> Claimant {
    try Self.check(subject: subject)
    let known = try await database.read { try $0.customer(named: subject) }
    if let known { return Claimant(customer: known, isIdentified: true) }
    let (new, now) = (CustomerID(rawValue: makeUUID()), clock.now)
    let customer = try await database.write(locking: []) { transaction in
      try transaction.insertCustomer(new, subject: subject, now)
      // Another server may have created the customer first.
      guard let customer = try transaction.customer(named: subject) else { throw LedgerError.unknownCustomer(new) }
      return customer
    }
    return Claimant(customer: customer, isIdentified: true)
  }

  /// - Throws: ``LedgerError/invalid(_:)``.
  static func check(subject: String) throws(LedgerError) {
    guard (1...512).contains(subject.utf8.count), !subject.contains("\0") else {
      throw .invalid("A subject is 1 to 512 bytes of text.")
    }
  }

  /// Revokes a token permanently. Called when an installation signs out.
  public func revoke(_ token: BearerToken) async throws {
    let (hash, now) = (token.hash, clock.now)
    _ = try await database.write(locking: []) { transaction in
      try transaction.execute("UPDATE bearer_token SET revoked = $2 WHERE hash = $1 AND revoked IS NULL", hash, now)
    }
  }
}

extension LedgerTransaction {
  func insertCustomer(_ customer: CustomerID, subject: String?, _ now: StoreDate) throws {
    try execute(
      "INSERT INTO customer (id, subject, created) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", customer,
      subject, now)
  }

  func customer(named subject: String) throws -> CustomerID? {
    try row("SELECT id FROM customer WHERE subject = $1", subject)?.customer("id")
  }
}
