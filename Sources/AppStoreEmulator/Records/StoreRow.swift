import Foundation
import GRDB
import SignedData
import StoreModel

/// The one row of the table `store`: the store's identity, epoch and counters.
struct StoreRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "store"

  var id = 1
  var epoch: StoreEpoch
  /// Every identifier the store invents follows from this.
  let seed: Int64
  /// Authenticates quotes.
  var quoteKey: Data
  var nextSequence: Int64
  /// The latest date the store has stamped anything with: where its clock goes on after a restart.
  var lastDate: StoreDate
  var lastSignedDate: StoreDate
  /// The earliest creation date of a receipt, which follows from revocations: see ``StoreUnitOfWork/makeReceiptsLater()``.
  var receiptFloor = StoreDate(millisecondsSince1970: 0)
  /// How many epochs this store has begun before this one.
  var generation = 0
  /// The last change before this epoch: a device that registers receives the changes after it.
  var firstChange = ChangeCursor(rawValue: 0)
  /// Whether the operator chose the seed, and so wants the epochs to follow from it too. Otherwise they are random.
  var isSeeded = false
  /// See ``CustomerNumber``.
  var nextCustomerNumber: Int64 = 1
  /// Where the first customer of each environment is.
  var storefrontCountryCode = Storefront.usa.countryCode
}

extension StoreRow {
  static func fetch(_ database: Database) throws -> StoreRow {
    guard let row = try StoreRow.fetchOne(database) else {
      throw AppStoreEmulatorError.storeNotCreated
    }
    return row
  }

  /// Brings back a store whose clock ran past what its certificates can sign, as earlier versions let it. Whatever was
  /// stamped there was never signed.
  ///
  /// - Returns: whether there was something to bring back.
  mutating func returnToSignableDates() -> Bool {
    let last = IssuingAuthority.signableDates.upperBound
    guard max(lastDate, lastSignedDate) > last else { return false }
    if lastDate > last { lastDate = StoreClock.dates.upperBound }
    if lastSignedDate > last { lastSignedDate = StoreClock.dates.upperBound }
    return true
  }
}

extension StoreRow {
  /// Reads the row of a store that is opened, or writes that of a new one.
  ///
  /// - Parameter seed: nil for the store's own, or a random one.
  /// - Throws: ``AppStoreEmulatorError/otherSeed`` if the store has another seed.
  static func open(_ database: Database, seed: UInt64?) throws -> StoreRow {
    guard var row = try StoreRow.fetchOne(database) else {
      let row = StoreRow.ofNewStore(seed: seed)
      try row.insert(database)
      return row
    }
    if let seed {
      guard Int64(bitPattern: seed) == row.seed else { throw AppStoreEmulatorError.otherSeed }
      try row.updateChanges(database) { $0.isSeeded = true }
    }
    if row.returnToSignableDates() { try row.update(database) }
    return row
  }
}
