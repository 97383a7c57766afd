import Foundation
import GRDB
import StoreModel

extension EmulatedAppStore {
  func register(_ registration: InstallationRegistration) async throws -> StoreGreeting {
    guard registration.environment != .xcode, !registration.installationID.rawValue.isEmpty else {
      throw StoreRefusal(
        .malformedRequest, "A device registers an installation id for the Production or Sandbox environment.")
    }
    let (life, installation, storefront, cursor) = try await database.write { database in
      do {
        _ = try Self.app(registration.bundleID, in: database)
      } catch let error as AppStoreEmulatorError {
        throw StoreRefusal(.unknownApp, error.description)
      }
      var installation =
        try Installation.lookUp(["installationID": registration.installationID.rawValue], in: database)
        ?? Installation(
          installationID: registration.installationID, bundleID: registration.bundleID,
          environment: registration.environment, deviceID: registration.deviceID.uuidString,
          applicationVersion: registration.applicationVersion,
          originalApplicationVersion: registration.applicationVersion, account: nil,
          registrationDate: try StoreRow.takeDate(database, clock: self.clock))
      guard
        installation.bundleID == registration.bundleID, installation.environment == registration.environment,
        installation.deviceID == registration.deviceID.uuidString
      else {
        throw StoreRefusal(
          .malformedRequest,
          "Installation \(registration.installationID) belongs to another app, environment or device. "
            + "A new installation needs an id of its own.")
      }
      installation.applicationVersion = registration.applicationVersion
      installation.isRegistered = true
      try installation.upsert(database)
      return (
        try StoreLife.fetch(database), installation, try Self.storefront(of: installation, in: database),
        try StoreRow.fetch(database).firstChange
      )
    }
    return StoreGreeting(
      epoch: life.epoch, rootCertificate: Data(try authority.jwsRootCertificate),
      receiptRootCertificate: Data(try authority.receiptRootCertificate), account: installation.account,
      storefrontCountryCode: storefront.countryCode, changeCursor: cursor)
  }

  func signIn(
    _ credentials: SignInCredentials, from installationID: InstallationID
  ) async throws -> SignedInAccount {
    let account = try await database.write { database in
      var installation = try Self.registered(installationID, in: database)
      let customer = try Self.find(credentials.account, installation.environment, in: database)
      guard let customer, customer.password == nil || customer.password == credentials.password else {
        // One answer for both, as the real store gives: it does not say which names exist.
        throw StoreRefusal(
          .signInRefused, "There is no customer \(credentials.account) with that password in this environment.")
      }
      let isAnother = installation.account != customer.name
      installation.account = customer.name
      try installation.update(database)
      if try Self.takeOver(for: installation, of: customer.name, in: database) {
        try DeviceChangeRow(StoreChange(.transactionsWaiting), for: installationID).insert(database)
      }
      if isAnother {
        // What was taken back while nobody, or somebody else, was signed in here.
        try Self.tellWhatWasRevoked(
          to: installation, at: try StoreRow.takeDate(database, clock: self.clock), in: database)
      }
      return SignedInAccount(account: customer.name, storefrontCountryCode: customer.storefrontCountryCode)
    }
    changeBell.ring()
    return account
  }

  func signOut(from installationID: InstallationID) async throws {
    try await database.write { database in
      var installation = try Self.registered(installationID, in: database)
      try Self.signOut(&installation, in: database)
    }
    changeBell.ring()
  }

  /// Signs nobody in, and lets the device know where that changes its storefront. The caller rings once that is committed.
  static func signOut(_ installation: inout Installation, in database: Database) throws {
    let before = try storefront(of: installation, in: database)
    installation.account = nil
    try installation.update(database)
    if try storefront(of: installation, in: database) != before {
      try DeviceChangeRow(StoreChange(.storefrontChanged), for: installation.installationID).insert(database)
    }
  }

  func products(
    _ identifiers: [ProductID], from installationID: InstallationID
  ) async throws -> ProductList {
    guard identifiers.count <= Self.largestProductRequest else {
      throw StoreRefusal(
        .malformedRequest, "At most \(Self.largestProductRequest) products can be asked for at once.")
    }
    return try await database.read { database in
      let installation = try Self.registered(installationID, in: database)
      let storefront = try Self.storefront(of: installation, in: database)
      let catalog = try Self.app(installation.bundleID, in: database).catalogDefaults
      var products: [ProductListing] = []
      var invalid: [ProductID] = []
      for identifier in identifiers {
        if let product = try ProductRow.definition(identifier, of: installation.bundleID, in: database) {
          products.append(product.listing(in: storefront, of: catalog))
        } else {
          invalid.append(identifier)
        }
      }
      return ProductList(products: products, invalidProductIDs: invalid)
    }
  }

  static let largestProductRequest = 1_000

  static func registered(_ id: InstallationID, in database: Database) throws -> Installation {
    guard let installation = try Installation.lookUp(["installationID": id.rawValue], in: database),
      installation.isRegistered
    else {
      throw StoreRefusal(.unknownInstallation, "Installation \(id) has not registered with this store.")
    }
    return installation
  }

  /// The storefront of whoever is signed in, or of a customer who never was.
  static func storefront(of installation: Installation, in database: Database) throws -> Storefront {
    guard let account = installation.account,
      let customer = try find(account, installation.environment, in: database)
    else { return .usa }
    return try storefront(of: customer)
  }

  static func storefront(of customer: Customer) throws -> Storefront {
    guard let storefront = Storefront(countryCode: customer.storefrontCountryCode) else {
      throw AppStoreEmulatorError.unknownStorefront(customer.storefrontCountryCode)
    }
    return storefront
  }
}
