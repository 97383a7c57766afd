import GRDB
import StoreModel

extension EmulatedAppStore {
  /// All installations, in the order in which they registered.
  public func installations() async throws -> [Installation] {
    try await database.read { try Installation.order(Column.rowID).fetchAll($0) }
  }

  /// - Throws: ``AppStoreEmulatorError/unknownInstallation(_:)``.
  package func installation(_ id: InstallationID) async throws -> Installation {
    try await database.read { try Self.installation(id, in: $0) }
  }

  /// Leaves nobody signed in on an installation, as its owner could in the device's settings.
  ///
  /// - Returns: the installation as it is then.
  /// - Throws: ``AppStoreEmulatorError/unknownInstallation(_:)``.
  @discardableResult
  public func endSignIn(on installationID: InstallationID) async throws -> Installation {
    let installation = try await database.write { database in
      var installation = try Self.installation(installationID, in: database)
      try Self.signOut(&installation, in: database)
      return installation
    }
    changeBell.ring()
    return installation
  }

  /// - Throws: ``AppStoreEmulatorError/unknownInstallation(_:)``.
  static func installation(_ id: InstallationID, in database: Database) throws -> Installation {
    guard let installation = try Installation.lookUp(["installationID": id.rawValue], in: database) else {
      throw AppStoreEmulatorError.unknownInstallation(id)
    }
    return installation
  }
}
