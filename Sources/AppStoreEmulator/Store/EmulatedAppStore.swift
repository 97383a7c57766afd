import DurableSQLite
import Foundation
import GRDB
import SignedData
import StoreModel

/// An App Store of one's own: catalog, customers, purchases, receipts, all really signed.
///
/// ```swift
/// let store = try EmulatedAppStore(.inMemory())
/// try await store.serve("com.example.game", catalog: [try StoreKitConfiguration(contentsOf: file)])
/// let device = try StoreKitDevice(connection: store, …)
/// ```
///
/// It is an ``AppStoreConnection``, so a device in the same process needs no port. Everything it decides is
/// committed before it answers.
public final class EmulatedAppStore: Sendable {
  /// Returns after so many milliseconds, or when it is cancelled.
  public typealias Pause = @Sendable (_ milliseconds: Int) async -> Void

  /// How a store is made.
  public struct Configuration: Sendable {
    /// Where the books are: a folder, or nil for memory.
    public var directory: URL?
    /// Where certificates and keys are; nil for `keys` in `directory`, or keys shared by the process's stores in memory.
    public var keyDirectory: URL?
    /// What the store's clock follows.
    public var wallClock: any WallClock
    /// Store seconds in one second of `wallClock`.
    public var timeRate: Double
    /// From which every identifier follows; nil for a random one, or the one a store that exists was created with.
    public var seed: UInt64?
    /// What a slow answer, and a device that waits for changes, wait with.
    public var pause: Pause = { try? await Task.sleep(for: .milliseconds($0)) }

    public init(
      directory: URL?, keyDirectory: URL? = nil, wallClock: any WallClock = SystemClock(), timeRate: Double = 1,
      seed: UInt64? = nil
    ) {
      self.directory = directory
      self.keyDirectory = keyDirectory
      self.wallClock = wallClock
      self.timeRate = timeRate
      self.seed = seed
    }

    public static func inMemory(wallClock: any WallClock = SystemClock(), seed: UInt64? = nil) -> Configuration {
      Configuration(directory: nil, wallClock: wallClock, seed: seed)
    }
  }

  public let authority: IssuingAuthority
  public let clock: StoreClock
  let database: DurableDatabase
  let currentEpoch: LockedValue<StoreEpoch>
  let changeBell: ChangeBell
  let faultDesk: FaultDesk
  let requestJournal: RequestJournal
  let storeActivity = StoreActivity()
  let installationDirectory = InstallationDirectory()
  /// Verifies what this store signed; made when it is first needed, because that makes keys.
  let receiptVerifier = MadeOnce<SignedDataVerifier>()

  /// Opens the store in `configuration.directory`, or creates it.
  ///
  /// - Throws: `DurableSQLiteError` if the folder is in use, damaged or newer; ``AppStoreEmulatorError``; or what the
  ///   key folder's reading gave.
  public init(_ configuration: Configuration) throws {
    guard DateTrio.pacific != nil else { throw AppStoreEmulatorError.noTimeZoneData }
    database = try DurableSQLite.open(
      at: configuration.directory?.appending(path: "store.sqlite"), migrator: StoreSchema.migrator)
    if let keys = configuration.keyDirectory ?? configuration.directory?.appending(path: "keys") {
      authority = try IssuingAuthority(keyDirectory: keys)
    } else {
      authority = .shared
    }
    let row = try database.write { database in
      guard var row = try StoreRow.fetchOne(database) else {
        let row = StoreRow.ofNewStore(seed: configuration.seed)
        try row.insert(database)
        return row
      }
      if let seed = configuration.seed {
        guard Int64(bitPattern: seed) == row.seed else { throw AppStoreEmulatorError.otherSeed }
        try row.updateChanges(database) { $0.isSeeded = true }
      }
      if row.returnToSignableDates() { try row.update(database) }
      return row
    }
    currentEpoch = LockedValue(row.epoch)
    clock = StoreClock(
      following: configuration.wallClock, rate: configuration.timeRate,
      notBefore: max(row.lastDate, row.lastSignedDate), activity: storeActivity)
    changeBell = ChangeBell(pause: configuration.pause)
    faultDesk = FaultDesk(seed: UInt64(bitPattern: row.seed), activity: storeActivity, pause: configuration.pause)
    requestJournal = RequestJournal(
      capacity: Self.journalCapacity, bell: ChangeBell(pause: configuration.pause), activity: storeActivity)
    try database.write { database in
      database.add(transactionObserver: installationDirectory, extent: .databaseLifetime)
      database.add(transactionObserver: BookWatch(storeActivity), extent: .databaseLifetime)
    }
  }

  /// Which life of the store this is. A reset or a restore begins another.
  public var epoch: StoreEpoch { currentEpoch.value }

  /// Gives the folder free, once what is under way is done. What a fault holds ends without an answer. The store refuses
  /// whatever comes afterwards.
  public func close() throws {
    faultDesk.close()
    try database.close()
    storeActivity.end()
  }
}
