import Foundation
import GRDB
import StoreModel

extension EmulatedAppStore {
  /// The longest that one call for changes waits; a device asks again.
  static let longestWaitSeconds = 60.0

  func changes(
    after cursor: ChangeCursor, waitSeconds: Double, from installationID: InstallationID,
    caller: (any StoreCaller)? = nil
  ) async throws -> DeviceChanges {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(min(max(waitSeconds, 0), Self.longestWaitSeconds))
    while true {
      let rings = changeBell.rings
      let changes = try await database.read { database in
        _ = try Self.registered(installationID, in: database)
        return try DeviceChangeRow.fetch(after: cursor, of: installationID, in: database)
      }
      let left = end - clock.now
      guard changes.changes.isEmpty, left > .zero, !Task.isCancelled else { return changes }
      let seconds = left / .seconds(1)
      guard let caller else {
        await changeBell.wait(beyond: rings, seconds: seconds)
        continue
      }
      let bell = changeBell
      guard await caller.whileWaiting({ await bell.wait(beyond: rings, seconds: seconds) }) != nil else {
        return changes
      }
    }
  }

  /// Lets the app go on with a purchase that the customer began in the App Store, as with a promoted product there.
  ///
  /// - Throws: ``AppStoreEmulatorError`` if there is no such installation; ``StoreRefusal`` if its app does not sell the
  ///   product.
  public func beginPromotedPurchase(of productID: ProductID, on installationID: InstallationID) async throws {
    try await database.write { database in
      let installation = try Self.installation(installationID, in: database)
      guard try ProductRow.definition(productID, of: installation.bundleID, in: database) != nil else {
        throw StoreRefusal(.productNotAvailable, "\(installation.bundleID) does not sell \(productID).")
      }
      try DeviceChangeRow(StoreChange(.promotedPurchase, productIDs: [productID]), for: installationID).insert(database)
    }
    changeBell.ring()
  }

  /// Tells every installation on which `account` is signed in, of one app or of all. The caller rings once that is committed.
  static func tell(
    _ change: StoreChange, to account: AccountName, of bundleID: BundleID? = nil, _ environment: StoreEnvironment,
    in database: Database
  ) throws {
    let installations = try String.fetchAll(
      database,
      sql: """
        SELECT installationID FROM installation
        WHERE account = ?1 AND environment = ?2 AND (?3 IS NULL OR bundleID = ?3)
        """,
      arguments: [account.rawValue, environment.rawValue, bundleID?.rawValue])
    for installation in installations {
      try DeviceChangeRow(change, for: InstallationID(installation)).insert(database)
    }
  }
}
