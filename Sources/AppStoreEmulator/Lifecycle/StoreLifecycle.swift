import Foundation
import GRDB
import StoreModel

extension EmulatedAppStore {
  /// Empties the books and begins another life, in one commit.
  ///
  /// Apps, catalogs, keys and the clock stay as they are; customers are those a new store has. No installation is known
  /// any more: devices register again, and see by the epoch that what they had under way is gone. All faults are removed,
  /// which lets go what they hold, and the request journal is emptied: whoever resets wants a store without a past.
  ///
  /// - Returns: the new epoch.
  @discardableResult
  public func reset() async throws -> StoreEpoch {
    let epoch = try await database.write { database in
      var row = try StoreRow.fetch(database)
      row.beginNextLife()
      try StoreBooks.empty(StoreBooks.trade, in: database)
      row.firstChange = try DeviceChangeRow.lastCursor(database)
      // Quotes of an earlier epoch are refused, so numbers may start at 1 again.
      row.nextCustomerNumber = 1
      try row.update(database)
      if try StoreApp.fetchCount(database) > 0 {
        try Self.addFirstCustomers(storefront: row.storefrontCountryCode, in: database)
      }
      self.announce(row.epoch, in: database)
      database.afterNextTransaction { _ in
        self.removeFaults()
        self.clearRequests()
      }
      return row.epoch
    }
    changeBell.ring()
    return epoch
  }

  /// The whole store at one moment, as a SQLite file: books, catalog and secrets, but not the keys it signs with.
  public func snapshot() async throws -> Data { try await database.snapshot() }

  /// Replaces the whole store by what is in `snapshot`, and begins another life, in one commit.
  ///
  /// Transactions of the snapshot keep their ids; new ones bear the new epoch. The clock goes on from the latest date
  /// either store has stamped. Devices that the snapshot knows stay signed in, and register again. Faults and the request
  /// journal are no part of a snapshot, and stay.
  ///
  /// - Parameter snapshot: what ``snapshot()`` gave, of this store or another; also of an earlier version.
  /// - Returns: the new epoch.
  /// - Throws: ``AppStoreEmulatorError/unusableSnapshot(reason:)``. The store is then unchanged.
  @discardableResult
  public func restore(_ snapshot: Data) async throws -> StoreEpoch {
    let source = try await Self.checked(snapshot)
    let epoch = try await database.write { database in
      var row = try source.read { source in
        let row = try StoreRow.fetch(database).restored(from: try StoreRow.fetch(source))
        let tables = StoreBooks.catalog + StoreBooks.trade
        try StoreBooks.empty(tables, in: database)
        try StoreBooks.copy(tables, from: source, to: database)
        return row
      }
      row.firstChange = try DeviceChangeRow.lastCursor(database)
      try row.update(database)
      // Devices listen from here on, and have heard nothing of what the snapshot had to tell.
      for installation in try Installation.filter(Column("account") != nil).fetchAll(database) {
        try Self.tellWhatWasRevoked(to: installation, at: row.lastDate, in: database)
      }
      try database.execute(sql: "UPDATE installation SET isRegistered = FALSE")
      self.announce(row.epoch, in: database)
      let latest = max(row.lastDate, row.lastSignedDate)
      database.afterNextTransaction { _ in self.clock.goOn(from: latest) }
      return row.epoch
    }
    changeBell.ring()
    return epoch
  }

  /// Makes the epoch known once it is committed. Nobody reads or writes the books in between.
  private func announce(_ epoch: StoreEpoch, in database: Database) {
    database.afterNextTransaction { _ in self.currentEpoch.value = epoch }
  }
}
