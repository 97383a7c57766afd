import StoreModel

extension EmulatedAppStore {
  /// The name of the customer that every new store has in each environment.
  public static let firstCustomer = CustomerDirectory.firstCustomer

  /// Adds a customer.
  ///
  /// - Throws: ``AppStoreEmulatorError`` if the environment has a customer of that name, the name is empty, the
  ///   storefront is unknown, or the environment is Xcode. In that environment, Xcode issues the transactions, and
  ///   not a server.
  public func addCustomer(_ customer: Customer) async throws {
    try await database.write { try $0.customerChanges.add(customer) }
  }

  /// Changes a customer. Earlier purchases keep their storefront and price.
  ///
  /// If the payment method is valid after the change, the store charges the customer's interrupted purchases. But if the
  /// customer needs approval from now on, these purchases wait for approval, whatever the payment method is: see
  /// ``pendingApprovals()``.
  ///
  /// - Returns: the changed customer.
  /// - Throws: ``AppStoreEmulatorError`` if there is no such customer, or the new storefront is unknown.
  @discardableResult
  public func changeCustomer(
    _ name: AccountName, _ environment: StoreEnvironment, _ change: @escaping @Sendable (inout Customer) -> Void
  ) async throws -> Customer {
    try await database.write { try $0.customerChanges.change(name, environment, change) }
  }

  /// Removes a customer who has no purchases, charges or payments. Other customers cannot be removed, because a new
  /// customer with the same name would own these records.
  ///
  /// Installations on which the customer is signed in are signed out. A payment that the customer confirmed, but that
  /// arrives after the removal, is refused with `accountGone`.
  ///
  /// - Returns: the removed customer.
  /// - Throws: ``AppStoreEmulatorError`` if there is no such customer, or the customer has records.
  @discardableResult
  public func removeCustomer(_ name: AccountName, _ environment: StoreEnvironment) async throws -> Customer {
    try await database.write { try $0.customers.remove(name, environment) }
  }

  /// - Throws: ``AppStoreEmulatorError/unknownCustomer(_:_:)``.
  public func customer(_ name: AccountName, _ environment: StoreEnvironment) async throws -> Customer {
    try await database.read { try $0.customers.customer(name, environment).customer }
  }

  /// All customers, by environment and name.
  public func customers() async throws -> [Customer] { try await database.read { try $0.customers.all() } }

  /// Customers whose name or family contains `text`, ignoring case, by environment and name.
  package func customers(
    like text: String?, in environment: StoreEnvironment?, limit: Int
  ) async throws -> [Customer] {
    try await database.read { try $0.customers.matching(text, in: environment, limit: limit) }
  }

  // MARK: A customer's records

  /// What a customer has spent, and how many purchases, refunds and refused payments the customer has.
  package func totals(of name: AccountName, _ environment: StoreEnvironment) async throws -> CustomerTotals {
    try await database.read { try $0.customers.totals(of: name, environment) }
  }

  /// A customer's current entitlements in all apps.
  ///
  /// - Parameter limit: the maximum number of transactions. If there are more, the newest are returned.
  package func entitlements(
    of name: AccountName, _ environment: StoreEnvironment, limit: Int
  ) async throws -> CustomerEntitlements {
    try await database.read { try $0.entitlements(of: name, environment, limit: limit) }
  }

  /// A page of a customer's timeline, newest event first. Requests appear only while they are in the journal.
  ///
  /// - Parameters:
  ///   - skipped: the number of newer events that are not on the page.
  ///   - limit: the maximum number of events on the page.
  package func timeline(
    ofCustomer name: AccountName, _ environment: StoreEnvironment, skipping skipped: Int = 0, limit: Int
  ) async throws -> CustomerEventPage {
    let requests = requests(RequestFilter(environment: environment, customer: name))
    return try await database.read { work in
      try CustomerTimeline(work: work, account: name, environment: environment)
        .page(skipping: skipped, limit: limit, requests: requests)
    }
  }

  // MARK: Installations

  /// The newest installations on which a customer is signed in, newest first.
  package func installations(
    of name: AccountName, _ environment: StoreEnvironment, limit: Int
  ) async throws -> [Installation] {
    try await database.read { try $0.installations.signedIn(name, environment, limit: limit) }
  }

  /// All installations, in the order in which they registered.
  public func installations() async throws -> [Installation] { try await database.read { try $0.installations.all() } }

  /// - Throws: ``AppStoreEmulatorError/unknownInstallation(_:)``.
  package func installation(_ id: InstallationID) async throws -> Installation {
    try await database.read { try $0.installations.installation(id) }
  }

  /// Signs the customer out on an installation, as in the device's settings.
  ///
  /// - Returns: the installation after the sign-out.
  /// - Throws: ``AppStoreEmulatorError/unknownInstallation(_:)``.
  @discardableResult
  public func endSignIn(on installationID: InstallationID) async throws -> Installation {
    try await database.write { work in
      try work.installations.signOut(work.installations.installation(installationID))
    }
  }

  /// Changes what a person can set on a device: restricted purchases, and the network. A device with an observer
  /// receives the change at once, also while it is offline; others receive it at their next launch.
  ///
  /// - Returns: the installation after the change.
  /// - Throws: ``AppStoreEmulatorError/unknownInstallation(_:)``.
  @discardableResult
  public func changeSettings(
    of installationID: InstallationID, _ change: @escaping @Sendable (inout InstallationSettings) -> Void
  ) async throws -> Installation {
    try await database.write { try $0.installations.changeSettings(of: installationID, change) }
  }

  /// Starts a promoted purchase: the app continues a purchase that the customer began in the App Store.
  ///
  /// - Parameter offer: a win-back offer of the product, which the customer chose in the App Store; nil for none.
  /// - Throws: ``AppStoreEmulatorError`` if there is no such installation; ``StoreRefusal`` if its app does not sell
  ///   the product, or the product has no such offer.
  public func beginPromotedPurchase(
    of productID: ProductID, offer: PaymentOffer? = nil, on installationID: InstallationID
  ) async throws {
    try await database.write { try $0.beginPromotedPurchase(of: productID, offer: offer, on: installationID) }
  }
}
