import Crypto
import Foundation
import GRDB
import SignedData
import StoreModel

/// One access to the store's database, with the store's identity, epoch and date, which are read once.
///
/// A write is one transaction. A read is not a transaction: reads and writes take turns on one connection, so nothing
/// changes during a read.
///
/// The store's rules are small types that use a unit of work, such as ``Ownership`` and ``Refunds``.
/// Documentation/emulator-core.md lists their folders in order. Each rule uses only rules of earlier folders.
///
/// A reset or a restored snapshot begins another epoch. Later units of work have the new epoch.
final class StoreUnitOfWork {
  let database: Database
  /// The first ten digits of every transaction id that is made in this epoch.
  let epoch: StoreEpoch
  /// Computes the identifiers that the store invents.
  let identity: InventedIdentity
  /// Whether the operator chose the seed, so that the same requests give the same identifiers.
  let isSeeded: Bool
  /// The store's date. It is stored with every change, so that no later call has an earlier date.
  private(set) var now: StoreDate
  let clock: StoreClock
  let authority: IssuingAuthority
  /// The key that authenticates quotes.
  let quoteKey: SymmetricKey
  /// The store's settings at the beginning of this unit of work.
  let settings: StoreSettings
  /// What is done after the commit, in this order.
  private(set) var stepsAfterCommit: [AfterCommit] = []
  /// The events that this unit of work has recorded.
  private(set) var recordedEvents: [RecordedEvent] = []
  /// The rows of `app` that were read in this unit of work.
  var apps: [BundleID: StoreApp] = [:]
  /// The rows of `product` that were read in this unit of work.
  var products: [ProductID: ProductRow] = [:]

  /// The number of rows that the connection had changed before this unit of work.
  private let changesBefore: Int

  /// The date of a unit of work.
  enum Moment {
    /// The date at which a call arrived. If the store has stored a later date, the unit of work has that date. If a
    /// reset moved the store's clock back after the call arrived, the unit of work has the clock's date.
    case arrival(StoreDate)
    /// The date at which rows were due. The unit of work that settles them has this date, even if it runs later.
    case due(StoreDate)
  }

  init(_ database: Database, clock: StoreClock, authority: IssuingAuthority, at moment: Moment) throws {
    guard
      let row = try Row.fetchOne(
        try database.cachedStatement(
          sql: """
            SELECT epoch, seed, isSeeded, quoteKey, lastDate, locale, documented21003, lenientBase64, rateLimits FROM store
            """))
    else { throw AppStoreEmulatorError.storeNotCreated }
    self.database = database
    self.clock = clock
    self.authority = authority
    switch moment {
    case .arrival(let date): now = max(min(date, clock.now), StoreDate(millisecondsSince1970: row["lastDate"]))
    case .due(let date): now = date
    }
    epoch = StoreEpoch(row["epoch"])
    identity = InventedIdentity(seed: row["seed"])
    isSeeded = row["isSeeded"]
    quoteKey = SymmetricKey(data: row["quoteKey"] as Data)
    settings = StoreSettings(
      locale: row["locale"], documented21003: row["documented21003"], lenientBase64: row["lenientBase64"],
      rateLimits: row["rateLimits"])
    changesBefore = database.totalChangesCount
  }

  /// Whether this is a store of StoreKit testing in Xcode.
  var isOfXcode: Bool { authority.style == .xcode }

  /// The environments in which this store sells.
  var environments: [StoreEnvironment] { isOfXcode ? [.xcode] : [.production, .sandbox] }

  /// Whether anything was changed in this unit of work.
  var hasChanges: Bool { database.totalChangesCount > changesBefore }

  /// Stores the date, if this unit of work has changed anything, and the last event that the projections contain.
  func storeDateOfChanges() throws {
    if hasChanges { try storeDate() }
    if let last = recordedEvents.last { try Projection.advanceAll(to: last.sequence, in: database) }
  }

  /// Stores the date, so that no later call has an earlier date.
  func storeDate() throws {
    try database.cachedStatement(sql: "UPDATE store SET lastDate = max(lastDate, ?)").execute(
      arguments: [now.millisecondsSince1970])
  }

  /// Returns to the date of the wall clock, although the store has used later dates. Only for a new epoch of a store in memory.
  func returnToPresent() throws {
    now = clock.present
    try database.execute(sql: "UPDATE store SET lastDate = 0, lastSignedDate = 0, receiptFloor = 0")
    afterCommit(.perform { [clock] in clock.returnToPresent() })
  }

  /// Does `body` as if it were an earlier date. Only for tests: a store never makes a purchase of the past.
  func perform<Value>(at date: StoreDate, _ body: () throws -> Value) rethrows -> Value {
    let present = now
    now = date
    defer { now = present }
    return try body()
  }

  func afterCommit(_ step: AfterCommit) { stepsAfterCommit.append(step) }

  /// Notes an event that was recorded.
  func note(_ event: RecordedEvent, wakesDevices: Bool) {
    // One step is enough for a commit with many events.
    if recordedEvents.isEmpty { afterCommit(.wakeFollowers) }
    recordedEvents.append(event)
    if wakesDevices { afterCommit(.wakeDevices) }
  }

  /// Forgets the events and the steps of changes that were rolled back.
  func forgetChanges() { (recordedEvents, stepsAfterCommit) = ([], []) }

  // MARK: Numbers and dates that are used once

  /// Reserves the next transaction number and its id. An id of a store of Xcode has no epoch; the first is 0.
  ///
  /// - Throws: ``AppStoreEmulatorError/epochExhausted``.
  func takeTransactionNumber() throws -> (sequence: Int64, id: TransactionID) {
    let next = try takeInteger("UPDATE store SET nextSequence = nextSequence + 1 RETURNING nextSequence")
    let sequence = next - 1
    let text =
      isOfXcode
      ? String(sequence - StoreRow.sequences.lowerBound) : epoch.rawValue + String(format: "%09d", Int(sequence))
    guard StoreRow.sequences.contains(sequence), let id = TransactionID(rawValue: text)
    else { throw AppStoreEmulatorError.epochExhausted }
    return (sequence, id)
  }

  /// Returns a creation date for a receipt. Later signatures have the same date or a later one.
  func takeReceiptDate() throws -> StoreDate {
    let floor = try takeInteger("SELECT receiptFloor FROM store")
    let date = max(now, StoreDate(millisecondsSince1970: floor))
    try database.cachedStatement(sql: "UPDATE store SET lastSignedDate = max(lastSignedDate, ?)").execute(
      arguments: [date.wholeSeconds.millisecondsSince1970])
    return date
  }

  /// Returns a `signedDate`: the current date, or a millisecond after the last one, so that it strictly increases.
  ///
  /// - Throws: ``StoreRefusal`` if the store's certificates can sign nothing at that date.
  func takeSignedDate() throws -> StoreDate {
    let date = StoreDate(
      millisecondsSince1970: try takeInteger(
        "UPDATE store SET lastSignedDate = max(lastSignedDate + 1, ?) RETURNING lastSignedDate",
        [now.millisecondsSince1970]))
    guard date <= IssuingAuthority.signableDates.upperBound else {
      throw StoreRefusal(.temporarilyUnavailable, "The store has used up the dates that its certificates can sign.")
    }
    return date
  }

  /// Creates the keys and certificates that sign a charge's transaction and receipt, if they do not exist. Called before
  /// the charge: see ``IssuingAuthority/prepareForCharge(at:)``.
  ///
  /// - Throws: ``StoreRefusal``.
  func prepareForCharge() throws {
    let next = try takeInteger("SELECT max(lastSignedDate + 1, receiptFloor) FROM store")
    try authority.prepareForCharge(at: max(now, StoreDate(millisecondsSince1970: next)))
  }

  /// Gives every later receipt a later creation date than everything signed so far. Called whenever existing
  /// transactions change: with revocations, reversals, upgrades, extensions and family shares.
  ///
  /// Receipts have whole seconds, so the date is that of the next second. Several revocations without a signature
  /// between them move the date only once. Otherwise receipts would get dates further and further ahead of the clock.
  func makeReceiptsLater() throws {
    try database.cachedStatement(
      sql: "UPDATE store SET receiptFloor = max(receiptFloor, lastSignedDate / 1000 * 1000 + 1000)"
    ).execute()
  }

  private func takeInteger(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Int64 {
    guard let integer = try Int64.fetchOne(try database.cachedStatement(sql: sql), arguments: arguments) else {
      throw AppStoreEmulatorError.storeNotCreated
    }
    return integer
  }
}

extension IssuingAuthority {
  /// Creates the keys and certificates that are needed to sign at `date`, if they do not exist. Called before a charge,
  /// because a transaction that cannot be signed cannot be delivered, and must not be charged.
  ///
  /// - Throws: ``StoreRefusal``.
  func prepareForCharge(at date: StoreDate) throws {
    do {
      try prepare(at: date)
    } catch {
      throw StoreRefusal(.temporarilyUnavailable, "Nothing was charged, because it could not be signed: \(error)")
    }
  }
}
