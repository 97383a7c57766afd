import GRDB
import StoreModel

extension StoreUnitOfWork {
  var customers: CustomerDirectory { CustomerDirectory(work: self) }
}

/// The store's customers. Each customer is one account in one environment.
struct CustomerDirectory {
  let work: StoreUnitOfWork

  func find(_ name: AccountName, _ environment: StoreEnvironment) throws -> StoredCustomer? {
    try StoredCustomer.fetchOne(
      try work.database.cachedStatement(sql: "SELECT * FROM customer WHERE environment = ? AND name = ?"),
      arguments: [environment.rawValue, name.rawValue])
  }

  /// - Throws: ``AppStoreEmulatorError/unknownCustomer(_:_:)``.
  func customer(_ name: AccountName, _ environment: StoreEnvironment) throws -> StoredCustomer {
    guard let customer = try find(name, environment) else {
      throw AppStoreEmulatorError.unknownCustomer(name, environment)
    }
    return customer
  }

  /// All customers, by environment and name.
  func all() throws -> [Customer] {
    try Customer.order(Column("environment"), Column("name")).fetchAll(work.database)
  }

  /// Customers whose name or family contains `text`, ignoring case, by environment and name.
  func matching(_ text: String?, in environment: StoreEnvironment?, limit: Int) throws -> [Customer] {
    try Customer.fetchAll(
      work.database,
      sql: """
        SELECT * FROM customer
        WHERE (?1 IS NULL OR environment = ?1)
          AND (?2 IS NULL OR instr(lower(name), lower(?2)) > 0 OR instr(lower(family), lower(?2)) > 0)
        ORDER BY environment, name LIMIT ?3
        """,
      arguments: [environment?.rawValue, text, limit])
  }

  func members(of family: String, _ environment: StoreEnvironment) throws -> [Customer] {
    try Customer.fetchAll(
      work.database, sql: "SELECT * FROM customer WHERE environment = ? AND family = ? ORDER BY rowid",
      arguments: [environment.rawValue, family])
  }

  /// Adds a customer.
  ///
  /// - Throws: ``AppStoreEmulatorError``.
  func add(_ customer: Customer) throws {
    try customer.check(in: work.environments)
    guard try find(customer.name, customer.environment) == nil else {
      throw AppStoreEmulatorError.customerExists(customer.name, customer.environment)
    }
    try customer.insert(work.database)
    guard
      let next = try Int64.fetchOne(
        work.database.cachedStatement(
          sql: "UPDATE store SET nextCustomerNumber = nextCustomerNumber + 1 RETURNING nextCustomerNumber"))
    else { throw AppStoreEmulatorError.storeNotCreated }
    try work.database.cachedStatement(sql: "UPDATE customer SET number = ? WHERE environment = ? AND name = ?")
      .execute(arguments: [next - 1, customer.environment.rawValue, customer.name.rawValue])
  }

  /// Adds the customer that every new store has in each environment.
  func addFirstCustomers(storefront: String) throws {
    for environment in work.environments {
      try add(Customer(environment: environment, name: Self.firstCustomer, storefrontCountryCode: storefront))
    }
  }

  static let firstCustomer: AccountName = "customer"

  /// Adds the first customers in a catalog's storefront, if the store has no customers.
  func addFirstCustomersIfNone(storefront: String) throws {
    let exists = try work.database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM customer)")
    guard try Bool.fetchOne(exists) != true else { return }
    try work.database.cachedStatement(sql: "UPDATE store SET storefrontCountryCode = ?").execute(arguments: [storefront]
    )
    try addFirstCustomers(storefront: storefront)
  }

  /// Removes a customer who has no purchases, charges or payments. Installations on which the customer is signed in are
  /// signed out.
  ///
  /// - Throws: ``AppStoreEmulatorError``.
  func remove(_ name: AccountName, _ environment: StoreEnvironment) throws -> Customer {
    let customer = try customer(name, environment).customer
    let hasRecords = try Bool.fetchOne(
      work.database,
      sql: """
        SELECT EXISTS (SELECT 1 FROM transactionRecord WHERE account = ?1 AND environment = ?2)
          OR EXISTS (SELECT 1 FROM charge WHERE account = ?1 AND environment = ?2)
          OR EXISTS (SELECT 1 FROM payment JOIN installation USING (installationID)
            WHERE payment.account = ?1 AND environment = ?2)
        """,
      arguments: [name.rawValue, environment.rawValue])
    guard hasRecords != true else { throw AppStoreEmulatorError.customerHasPurchases(name, environment) }
    for installation in try work.installations.signedIn(name, environment) {
      try work.installations.signOut(installation)
    }
    try customer.delete(work.database)
    return customer
  }
}

extension Customer {
  /// - Parameter environments: those in which the store sells. Only a store of Xcode sells in the environment Xcode.
  /// - Throws: ``AppStoreEmulatorError`` if a name is empty, the storefront is unknown, or the environment is another one.
  func check(in environments: [StoreEnvironment]) throws(AppStoreEmulatorError) {
    guard !name.rawValue.isEmpty else { throw .emptyName("customer's name") }
    guard family != "" else { throw .emptyName("family's name") }
    guard environments.contains(environment) else { throw .environmentNotServed(environment) }
    guard Territory(countryCode: storefrontCountryCode) != nil else { throw .unknownStorefront(storefrontCountryCode) }
  }

  var storefront: Territory {
    get throws(AppStoreEmulatorError) {
      guard let storefront = Territory(countryCode: storefrontCountryCode) else {
        throw .unknownStorefront(storefrontCountryCode)
      }
      return storefront
    }
  }
}
