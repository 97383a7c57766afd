import GRDB
import StoreModel

extension StoreUnitOfWork {
  var installations: Installations { Installations(work: self) }
}

/// The installations of apps on devices, and which customer is signed in on each.
struct Installations {
  let work: StoreUnitOfWork

  func find(_ id: InstallationID) throws -> Installation? {
    try Installation.lookUp(["installationID": id.rawValue], in: work.database)
  }

  /// - Throws: ``AppStoreEmulatorError/unknownInstallation(_:)``.
  func installation(_ id: InstallationID) throws -> Installation {
    guard let installation = try find(id) else { throw AppStoreEmulatorError.unknownInstallation(id) }
    return installation
  }

  /// The installation that has sent a request.
  ///
  /// - Throws: ``StoreRefusal`` if the installation has not registered in this epoch.
  func registered(_ id: InstallationID) throws -> Installation {
    guard let installation = try find(id), installation.isRegistered else {
      throw StoreRefusal(.unknownInstallation, "Installation \(id) has not registered with this store.")
    }
    return installation
  }

  /// All installations, in the order in which they registered.
  func all() throws -> [Installation] { try Installation.order(Column.rowID).fetchAll(work.database) }

  /// The installations on which a customer is signed in, newest first.
  func signedIn(_ name: AccountName, _ environment: StoreEnvironment, limit: Int = -1) throws -> [Installation] {
    try Installation.fetchAll(
      work.database,
      sql: "SELECT * FROM installation WHERE account = ? AND environment = ? ORDER BY rowid DESC LIMIT ?",
      arguments: [name.rawValue, environment.rawValue, limit])
  }

  /// The storefront of the customer who is signed in. If no customer is signed in, the storefront of the USA.
  func storefront(of installation: Installation) throws -> Territory {
    guard let account = installation.account, let found = try work.customers.find(account, installation.environment)
    else { return .usa }
    return try found.customer.storefront
  }

  /// Changes the settings of an installation, and notifies its device if they are then different.
  func changeSettings(
    of id: InstallationID, _ change: (inout InstallationSettings) -> Void
  ) throws -> Installation {
    var installation = try installation(id)
    let before = installation.settings
    change(&installation.settings)
    guard installation.settings != before else { return installation }
    try installation.update(work.database)
    try work.events.record(.settingsChanged(installation))
    return installation
  }

  /// Signs the customer out. Notifies the device if its storefront is then different.
  @discardableResult
  func signOut(_ installation: Installation) throws -> Installation {
    let before = try storefront(of: installation)
    var installation = installation
    installation.account = nil
    try installation.update(work.database)
    if try storefront(of: installation) != before {
      try work.events.record(.storefrontChanged(installation))
    }
    return installation
  }
}
