import Foundation
import GRDB
import SignedData
import StoreModel

/// The one row that says which life of which store this is.
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
  /// No receipt is made before this: what was taken back, or given again, is later than every receipt that did not say so.
  var receiptFloor = StoreDate(millisecondsSince1970: 0)
  /// How many epochs this store has begun before this one.
  var generation = 0
  /// How far devices had heard when this life began: from there on a device listens that meets it for the first time.
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

  /// Reserves the next transaction number of this epoch.
  static func takeSequence(_ database: Database) throws -> Int64 {
    guard
      let next = try Int64.fetchOne(
        try database.cachedStatement(
          sql: "UPDATE store SET nextSequence = nextSequence + 1 RETURNING nextSequence"))
    else { throw AppStoreEmulatorError.storeNotCreated }
    return next - 1
  }

  /// The store's date for what is being written. It never goes backwards, also across a restart.
  static func takeDate(_ database: Database, clock: StoreClock) throws -> StoreDate {
    guard
      let milliseconds = try Int64.fetchOne(
        try database.cachedStatement(sql: "UPDATE store SET lastDate = max(lastDate, ?) RETURNING lastDate"),
        arguments: [clock.now.millisecondsSince1970])
    else { throw AppStoreEmulatorError.storeNotCreated }
    return StoreDate(millisecondsSince1970: milliseconds)
  }

  /// The creation date of a receipt. What is signed from now on is not earlier.
  static func receiptDate(_ database: Database, now: StoreDate) throws -> StoreDate {
    let floor = try Int64.fetchOne(try database.cachedStatement(sql: "SELECT receiptFloor FROM store")) ?? 0
    let date = max(now, StoreDate(millisecondsSince1970: floor))
    try database.cachedStatement(sql: "UPDATE store SET lastSignedDate = max(lastSignedDate, ?)").execute(
      arguments: [date.wholeSeconds.millisecondsSince1970])
    return date
  }

  /// Makes every receipt from now on later than all that was signed before, by the whole seconds in which receipts tell
  /// their date. To be called with each change of what is revoked. Several changes without a signature in between count as
  /// one, so that receipts are not dated further and further ahead of the clock.
  static func makeReceiptsLater(_ database: Database) throws {
    try database.cachedStatement(
      sql: "UPDATE store SET receiptFloor = max(receiptFloor, lastSignedDate / 1000 * 1000 + 1000)"
    ).execute()
  }

  /// A date to sign with: `now`, or a millisecond after the last one, so that `signedDate` strictly increases.
  ///
  /// - Throws: ``StoreRefusal`` where nothing can be signed then.
  static func takeSignedDate(_ database: Database, now: StoreDate) throws -> StoreDate {
    guard
      let milliseconds = try Int64.fetchOne(
        try database.cachedStatement(
          sql: "UPDATE store SET lastSignedDate = max(lastSignedDate + 1, ?) RETURNING lastSignedDate"),
        arguments: [now.millisecondsSince1970])
    else { throw AppStoreEmulatorError.storeNotCreated }
    let date = StoreDate(millisecondsSince1970: milliseconds)
    guard date <= IssuingAuthority.signableDates.upperBound else {
      throw StoreRefusal(.temporarilyUnavailable, "The store has used up the dates that its certificates can sign.")
    }
    return date
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
