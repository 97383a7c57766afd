import GRDB
import StoreModel

extension EmulatedAppStore {
  /// Adds a customer.
  ///
  /// - Throws: ``AppStoreEmulatorError`` if there is one of that name in the environment, the name is empty, the storefront
  ///   is not known, or no server issues purchases of the environment.
  public func addCustomer(_ customer: Customer) async throws {
    try Self.check(customer)
    try await database.write { database in
      if try Self.find(customer.name, customer.environment, in: database) != nil {
        throw AppStoreEmulatorError.customerExists(customer.name, customer.environment)
      }
      try customer.insert(database)
      try CustomerNumber.assign(to: customer, in: database)
      if customer.family != nil { try self.familyChanged(of: customer, before: nil, in: database) }
    }
    changeBell.ring()
  }

  /// Changes what is known of a customer. Purchases keep the storefront and price they were made at.
  ///
  /// Where the payment method is valid, what was interrupted is bought. Where the customer needs approval now, and did not
  /// before, what was interrupted waits for approval instead: see ``pendingApprovals()``.
  ///
  /// - Returns: the customer as changed.
  /// - Throws: ``AppStoreEmulatorError`` if there is no such customer, or the new storefront is not known.
  @discardableResult
  public func changeCustomer(
    _ name: AccountName, _ environment: StoreEnvironment, _ change: @escaping @Sendable (inout Customer) -> Void
  ) async throws -> Customer {
    let changed = try await database.write { database in
      let before = try Self.customer(name, environment, in: database)
      var customer = before
      change(&customer)
      try Self.check(customer)
      try customer.update(database)
      if customer.storefrontCountryCode != before.storefrontCountryCode {
        try Self.tell(StoreChange(.storefrontChanged), to: name, environment, in: database)
      }
      if customer.family != before.family {
        try self.familyChanged(of: customer, before: before.family, in: database)
      }
      if customer.needsApproval && !before.needsApproval {
        try self.putInterruptedPurchasesToApproval(of: name, environment, in: database)
      }
      if customer.paymentMethod == .valid {
        try self.resumeInterruptedPurchases(of: name, environment, in: database)
      }
      return customer
    }
    changeBell.ring()
    return changed
  }

  /// Takes a customer away who is in no books: without purchases, charges and payments, decided or not. Otherwise a new
  /// customer of that name would own them. Whoever is signed in as the customer is signed out. A payment that the customer has
  /// confirmed, and that arrives later, is refused as `accountGone`.
  ///
  /// - Returns: the customer there was.
  /// - Throws: ``AppStoreEmulatorError`` if there is no such customer, or the books name the customer.
  @discardableResult
  public func removeCustomer(_ name: AccountName, _ environment: StoreEnvironment) async throws -> Customer {
    let removed = try await database.write { database in
      let customer = try Self.customer(name, environment, in: database)
      let isInBooks = try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (SELECT 1 FROM transactionRecord WHERE account = ?1 AND environment = ?2)
            OR EXISTS (SELECT 1 FROM charge WHERE account = ?1 AND environment = ?2)
            OR EXISTS (SELECT 1 FROM payment JOIN installation USING (installationID)
              WHERE payment.account = ?1 AND environment = ?2)
          """,
        arguments: [name.rawValue, environment.rawValue])
      guard isInBooks != true else { throw AppStoreEmulatorError.customerHasPurchases(name, environment) }
      let installations = try Installation.fetchAll(
        database, sql: "SELECT * FROM installation WHERE account = ? AND environment = ?",
        arguments: [name.rawValue, environment.rawValue])
      for var installation in installations { try Self.signOut(&installation, in: database) }
      try customer.delete(database)
      return customer
    }
    changeBell.ring()
    return removed
  }

  /// - Throws: ``AppStoreEmulatorError/unknownCustomer(_:_:)``.
  public func customer(_ name: AccountName, _ environment: StoreEnvironment) async throws -> Customer {
    try await database.read { try Self.customer(name, environment, in: $0) }
  }

  /// All customers, by environment and name.
  public func customers() async throws -> [Customer] {
    try await database.read { try Customer.order(Column("environment"), Column("name")).fetchAll($0) }
  }

  static func find(
    _ name: AccountName, _ environment: StoreEnvironment, in database: Database
  ) throws -> Customer? {
    try Customer.lookUp(["environment": environment.rawValue, "name": name.rawValue], in: database)
  }

  static func customer(
    _ name: AccountName, _ environment: StoreEnvironment, in database: Database
  ) throws -> Customer {
    guard let customer = try find(name, environment, in: database) else {
      throw AppStoreEmulatorError.unknownCustomer(name, environment)
    }
    return customer
  }

  private static func check(_ customer: Customer) throws(AppStoreEmulatorError) {
    guard !customer.name.rawValue.isEmpty else { throw .emptyName("customer's name") }
    guard customer.family != "" else { throw .emptyName("family's name") }
    guard customer.environment != .xcode else { throw .environmentNotServed(customer.environment) }
    guard Storefront(countryCode: customer.storefrontCountryCode) != nil else {
      throw .unknownStorefront(customer.storefrontCountryCode)
    }
  }
}

extension EmulatedAppStore {
  /// Customers whose name or family has `text` somewhere, whatever its case, by environment and name.
  package func customers(
    like text: String?, in environment: StoreEnvironment?, limit: Int
  ) async throws -> [Customer] {
    try await database.read { database in
      try Customer.fetchAll(
        database,
        sql: """
          SELECT * FROM customer
          WHERE (?1 IS NULL OR environment = ?1)
            AND (?2 IS NULL OR instr(lower(name), lower(?2)) > 0 OR instr(lower(family), lower(?2)) > 0)
          ORDER BY environment, name LIMIT ?3
          """,
        arguments: [environment?.rawValue, text, limit])
    }
  }

  /// The newest installations where a customer is signed in, newest first.
  package func installations(
    of name: AccountName, _ environment: StoreEnvironment, limit: Int
  ) async throws -> [Installation] {
    try await database.read { database in
      try Installation.fetchAll(
        database,
        sql: "SELECT * FROM installation WHERE account = ? AND environment = ? ORDER BY rowid DESC LIMIT ?",
        arguments: [name.rawValue, environment.rawValue, limit])
    }
  }
}
