import Dispatch
import DurableSQLite
import Foundation
import GRDB
import SignedData
import StoreModel

extension EmulatedAppStore {
  /// Empties the books and begins another life, in one commit.
  ///
  /// Apps, catalogs, keys and the clock stay as they are; customers are those a new store has. No installation is known
  /// any more: devices register again, and see by the epoch that what they had under way is gone.
  ///
  /// - Returns: the new epoch.
  @discardableResult
  public func reset() async throws -> StoreEpoch {
    let epoch = try await database.write { database in
      var row = try StoreRow.fetch(database)
      row.beginNextLife()
      try StoreBooks.empty(StoreBooks.trade, in: database)
      row.firstChange = try DeviceChangeRow.lastCursor(database)
      try row.update(database)
      if try StoreApp.fetchCount(database) > 0 {
        try Self.addFirstCustomers(storefront: row.storefrontCountryCode, in: database)
      }
      self.announce(row.epoch, in: database)
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
  /// either store has stamped. Devices that the snapshot knows stay signed in, and register again.
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

  /// A copy of the snapshot in which every row can be read.
  private static func checked(_ snapshot: Data) async throws -> DurableDatabase {
    // On a thread of its own kind, because checking a large file takes a while.
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try check(snapshot) })
      }
    }
  }

  private static func check(_ snapshot: Data) throws -> DurableDatabase {
    func unusable(_ reason: String) -> AppStoreEmulatorError { .unusableSnapshot(reason: reason) }
    let source: DurableDatabase
    do {
      source = try DurableSQLite.openCopy(of: snapshot, migrator: StoreSchema.migrator)
    } catch {
      switch error {
      case .newerVersion: throw unusable("a newer version of this software made it")
      case .damaged(_, let reason), .cannotOpen(_, let reason): throw unusable(reason)
      case .inUse, .closed: throw error
      }
    }
    do {
      try source.read { database in
        let row = try StoreRow.fetch(database)
        guard StoreRow.generations.contains(row.generation),
          (StoreRow.sequences.lowerBound...StoreRow.sequences.upperBound).contains(row.nextSequence),
          try Int64.fetchOne(database, sql: "SELECT max(sequence) FROM transactionRecord") ?? 0 < row.nextSequence
        else { throw unusable("its counters are damaged") }
        guard Storefront(countryCode: row.storefrontCountryCode) != nil else {
          throw unusable("\(row.storefrontCountryCode) is not a storefront known here")
        }
        guard max(row.lastDate, row.lastSignedDate) <= IssuingAuthority.signableDates.upperBound else {
          throw unusable(
            "its clock is at \(max(row.lastDate, row.lastSignedDate)), when nothing can be signed any more")
        }
        try StoreBooks.readThrough(database)
      }
    } catch let error as AppStoreEmulatorError {
      if case .storeNotCreated = error { throw unusable("it is not a store's database") }
      throw error
    } catch {
      throw unusable("it holds what cannot be read: \(error)")
    }
    return source
  }
}
