import Foundation
import GRDB
import StoreModel

extension EmulatedAppStore {
  /// Empties the records and begins another epoch, in one commit.
  ///
  /// Apps, catalogs and keys do not change. The customers and settings are those of a new store. Installations must
  /// register again.
  /// Devices detect by the new epoch that their unfinished operations no longer exist. All faults are removed, which
  /// releases the requests that they hold, and the request journal is emptied.
  ///
  /// The clock of a store in memory returns to the date of the wall clock, so that each test can begin in the present.
  /// Data that an app stored before the reset may then have later dates than the clock, so reinstall such apps.
  ///
  /// The clock of a store in a folder does not go back. Apps and servers may keep its signed data for years, and data
  /// that the store signs later must have later dates. The rate of the clock does not change.
  ///
  /// - Returns: the new epoch.
  @discardableResult
  public func reset() async throws -> StoreEpoch {
    try await database.write { [self] work in
      let epoch = try work.lifecycle.reset(returnsToPresent: directory == nil)
      announce(epoch, after: work)
      work.afterCommit(
        .perform { [self] in
          self.removeFaults()
          self.clearRequests()
          self.policy.value = NotificationPolicy()
        })
      return epoch
    }
  }

  /// Returns a consistent copy of the whole store as a SQLite file. It contains records, catalog and secrets, but not
  /// the signing keys.
  public func snapshot() async throws -> Data { try await database.snapshot() }

  /// Replaces the whole store with a snapshot, and begins another epoch, in one commit.
  ///
  /// Transactions of the snapshot keep their ids; new ones have the new epoch. The clock continues from the latest date
  /// that either store has used. Devices of the snapshot stay signed in, and must register again. Faults and the
  /// request journal are not part of a snapshot, and do not change.
  ///
  /// - Parameter snapshot: the result of ``snapshot()`` of this store or of another one. Snapshots of earlier versions
  ///   are accepted.
  /// - Returns: the new epoch.
  /// - Throws: ``AppStoreEmulatorError/unusableSnapshot(reason:)``. The store is then unchanged.
  @discardableResult
  public func restore(_ snapshot: Data) async throws -> StoreEpoch {
    let copy = try await SnapshotCheck.checkedCopy(of: snapshot)
    do {
      return try await database.write { [self] work in
        let (epoch, latest) = try work.lifecycle.restore(copy)
        announce(epoch, after: work)
        work.afterCommit(.perform { [clock] in clock.goOn(from: latest) })
        return epoch
      }
    } catch let refusal as StoreRefusal {
      // The same commit settles rows of the snapshot that are due. If that is impossible, so is the snapshot.
      throw AppStoreEmulatorError.unusableSnapshot(reason: "a row that is due cannot be settled: \(refusal.message)")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      throw AppStoreEmulatorError.unusableSnapshot(reason: "its rows contradict one another: \(error.message ?? "")")
    }
  }

  /// The identity of the store, and the number of its records.
  package func summary() async throws -> StoreSummary { try await database.read { try StoreSummary($0) } }

  /// Publishes the epoch when it is committed, before another unit of work begins.
  private func announce(_ epoch: StoreEpoch, after work: StoreUnitOfWork) {
    work.afterCommit(.perform { [services] in services.currentEpoch.value = epoch })
  }

  // MARK: Settings

  /// The store's settings.
  public func settings() async throws -> StoreSettings { try await database.read { $0.settings } }

  /// Changes the store's settings. They apply to later requests, also after a restart.
  ///
  /// - Returns: the settings after the change, with the locale in the form `language_Script_REGION`.
  /// - Throws: ``AppStoreEmulatorError/invalidLocale(_:)``. The settings are then unchanged.
  @discardableResult
  public func changeSettings(_ change: @escaping @Sendable (inout StoreSettings) -> Void) async throws -> StoreSettings
  {
    try await database.write { try $0.lifecycle.changeSettings(change) }
  }

  // MARK: The clock

  /// The clock's date and rate. The date is stored before it is returned, so that the clock never shows an earlier date
  /// after a restart.
  public func clockReading() async throws -> ClockReading {
    try await database.write { work in
      try work.storeDate()
      return ClockReading(now: work.now, rate: work.clock.rate)
    }
  }

  /// Moves the clock forward, or changes its rate, or both.
  ///
  /// The date survives a restart; the rate does not. The clock stops one day before the certificates end, so that the
  /// store can always sign.
  ///
  /// - Parameters:
  ///   - move: nil to keep the date.
  ///   - rate: store seconds per second of the wall clock, 0 to 1,000,000. 0 stops the clock; nil keeps the rate.
  /// - Throws: ``AppStoreEmulatorError/clockNeverGoesBack(to:now:)``,
  ///   ``AppStoreEmulatorError/dateOutsideCertificates(_:)``, ``AppStoreEmulatorError/clockRateOutOfRange(_:)``,
  ///   ``AppStoreEmulatorError/nothingDue``. The clock is then unchanged.
  @discardableResult
  public func changeClock(_ move: ClockMove? = nil, rate: Double? = nil) async throws -> ClockReading {
    try await database.write { [database] work in
      try work.lifecycle.changeClock(move, rate: rate, nextEvent: try database.nextDueDate(in: work))
    }
  }
}
