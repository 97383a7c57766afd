import GRDB
import StoreModel

extension StoreUnitOfWork {
  var deviceNotifier: DeviceNotifier { DeviceNotifier(work: self) }
}

/// Records changes that devices receive, in the order in which they happen.
struct DeviceNotifier {
  let work: StoreUnitOfWork

  /// Notifies one installation.
  func notify(_ installation: InstallationID, _ change: StoreChange) throws {
    try DeviceChangeRow(change, for: installation).insert(work.database)
    work.notifyDevices()
  }

  /// Notifies every installation of the app on which the customer is signed in.
  func notify(_ scope: Scope, _ change: StoreChange) throws {
    try notify(scope.account, scope.environment, of: scope.bundleID, change)
  }

  /// Notifies every installation of one app on which `account` is signed in; of all apps if `bundleID` is nil.
  func notify(
    _ account: AccountName, _ environment: StoreEnvironment, of bundleID: BundleID? = nil, _ change: StoreChange
  ) throws {
    let installations = try String.fetchAll(
      work.database,
      sql: """
        SELECT installationID FROM installation
        WHERE account = ?1 AND environment = ?2 AND (?3 IS NULL OR bundleID = ?3)
        """,
      arguments: [account.rawValue, environment.rawValue, bundleID?.rawValue])
    for installation in installations { try notify(InstallationID(installation), change) }
  }
}
