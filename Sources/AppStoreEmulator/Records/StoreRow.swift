import Foundation
import GRDB
import SignedData
import StoreModel

/// The one row of the table `store`: the store's identity, epoch and counters.
struct StoreRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "store"

  var id = 1
  var epoch: StoreEpoch
  /// The seed from which all identifiers that the store invents are computed.
  let seed: Int64
  /// The key that authenticates quotes.
  var quoteKey: Data
  var nextSequence: Int64
  /// See ``Revisions``.
  var nextRevision: Int64 = 1
  /// The latest date that the store has used. After a restart, the store's clock does not begin before it.
  var lastDate: StoreDate
  var lastSignedDate: StoreDate
  /// The minimum creation date of receipts that are made from now on. Revocations and other changes of transactions raise
  /// it: see ``StoreUnitOfWork/makeReceiptsLater()``.
  var receiptFloor = StoreDate(millisecondsSince1970: 0)
  /// The number of epochs before this one.
  var generation = 0
  /// The last change before this epoch: a device that registers receives the changes after it.
  var firstChange = ChangeCursor(rawValue: 0)
  /// Whether the operator chose the seed. If so, the epochs are computed from it; otherwise they are random.
  var isSeeded = false
  /// See ``CustomerNumber``.
  var nextCustomerNumber: Int64 = 1
  /// The storefront of the first customer in each environment.
  var storefrontCountryCode = Territory.usa.countryCode
  /// The address to which the notifications of apps that are added later are sent; nil for none.
  var notificationURL: String?
  private var locale: String?
  private var documented21003 = false
  private var lenientBase64 = false
  private var rateLimits = false

  init(
    epoch: StoreEpoch, seed: Int64, quoteKey: Data, nextSequence: Int64, lastDate: StoreDate,
    lastSignedDate: StoreDate, isSeeded: Bool
  ) {
    self.epoch = epoch
    self.seed = seed
    self.quoteKey = quoteKey
    self.nextSequence = nextSequence
    self.lastDate = lastDate
    self.lastSignedDate = lastSignedDate
    self.isSeeded = isSeeded
  }

  var settings: StoreSettings {
    get {
      StoreSettings(
        locale: locale, documented21003: documented21003, lenientBase64: lenientBase64, rateLimits: rateLimits)
    }
    set {
      (locale, documented21003) = (newValue.locale, newValue.documented21003)
      (lenientBase64, rateLimits) = (newValue.lenientBase64, newValue.rateLimits)
    }
  }
}

extension StoreRow {
  static func fetch(_ database: Database) throws -> StoreRow {
    guard let row = try StoreRow.fetchOne(database.cachedStatement(sql: "SELECT * FROM store")) else {
      throw AppStoreEmulatorError.storeNotCreated
    }
    return row
  }

  /// The latest date of the row: a signature has this date, or a later one.
  var latestDate: StoreDate { max(lastDate, lastSignedDate, receiptFloor) }

  /// Repairs a store whose clock passed the end of its certificates, which earlier versions allowed. No signature has
  /// such a date.
  mutating func returnToSignableDates() {
    let last = IssuingAuthority.signableDates.upperBound
    if lastDate > last { lastDate = StoreClock.dates.upperBound }
    if lastSignedDate > last { lastSignedDate = StoreClock.dates.upperBound }
    if receiptFloor > last { receiptFloor = StoreClock.dates.upperBound }
  }
}

extension StoreRow {
  /// Reads the row of an existing store, or writes the row of a new store.
  ///
  /// - Parameters:
  ///   - seed: if nil, an existing store keeps its seed, and a new store gets a random seed.
  ///   - date: the date of the machine's clock.
  /// - Throws: ``AppStoreEmulatorError/otherSeed`` if the store has another seed.
  static func open(_ database: Database, seed: UInt64?, at date: StoreDate) throws -> StoreRow {
    guard var row = try StoreRow.fetchOne(database.cachedStatement(sql: "SELECT * FROM store")) else {
      let row = StoreRow.ofNewStore(seed: seed)
      try row.insert(database)
      return row
    }
    if let seed {
      guard Int64(bitPattern: seed) == row.seed else { throw AppStoreEmulatorError.otherSeed }
      try row.updateChanges(database) { $0.isSeeded = true }
    }
    try row.updateChanges(database) { row in
      row.returnToSignableDates()
      row.skipSequences(at: date)
    }
    try DeviceChangeRow.skip(to: changesBefore(date), in: database)
    return row
  }
}
