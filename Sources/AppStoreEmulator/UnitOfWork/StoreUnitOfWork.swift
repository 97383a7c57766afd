import Crypto
import Foundation
import GRDB
import SignedData
import StoreModel

/// One access to the store's database, with the store's identity, epoch and date, which are read once.
///
/// A write is one transaction. Reads are not: they take turns with the writes on one connection, so nothing changes while they run.
///
/// The store's rules are small types over a unit of work, such as ``Ownership`` and ``Refunds``. Each rule uses only rules of
/// folders that come before its own. Documentation/emulator-core.md lists them.
///
/// A reset or a restored snapshot begins another epoch, which the units of work after it have.
final class StoreUnitOfWork {
  let database: Database
  /// The first ten digits of every transaction id that is made in this epoch.
  let epoch: StoreEpoch
  /// Makes the identifiers that the store invents.
  let identity: InventedIdentity
  /// The store's date. It is stored with every change, so that no call that comes later has an earlier one.
  let now: StoreDate
  let clock: StoreClock
  let authority: IssuingAuthority
  /// Authenticates quotes.
  let quoteKey: SymmetricKey
  /// Whether devices that wait for changes must look again after the commit.
  private(set) var mustNotifyDevices = false
  /// See ``afterCommit(_:)``.
  private(set) var actionsAfterCommit: [@Sendable () -> Void] = []
  /// The rows of `app` that were read in this unit of work.
  var apps: [BundleID: StoreApp] = [:]
  /// The rows of `product` that were read in this unit of work.
  var products: [ProductID: ProductRow] = [:]

  /// How many rows the connection had changed before.
  private let changesBefore: Int

  /// The date of a unit of work.
  enum Moment {
    /// A call arrived at this date. Its unit of work has this date, or that of a later change which was stored before.
    case arrival(StoreDate)
    /// Rows are settled that were due at this date, however late that happens.
    case due(StoreDate)
  }

  init(_ database: Database, clock: StoreClock, authority: IssuingAuthority, at moment: Moment) throws {
    guard
      let row = try Row.fetchOne(
        try database.cachedStatement(sql: "SELECT epoch, seed, quoteKey, lastDate FROM store"))
    else { throw AppStoreEmulatorError.storeNotCreated }
    self.database = database
    self.clock = clock
    self.authority = authority
    switch moment {
    case .arrival(let date): now = max(date, StoreDate(millisecondsSince1970: row["lastDate"]))
    case .due(let date): now = date
    }
    epoch = StoreEpoch(row["epoch"])
    identity = InventedIdentity(seed: row["seed"])
    quoteKey = SymmetricKey(data: row["quoteKey"] as Data)
    changesBefore = database.totalChangesCount
  }

  /// Whether anything was changed in this unit of work.
  var hasChanges: Bool { database.totalChangesCount > changesBefore }

  /// Stores the date, if anything was changed at it.
  func storeDateOfChanges() throws {
    if hasChanges { try storeDate() }
  }

  /// Stores the date, so that no call that comes later has an earlier one.
  func storeDate() throws {
    try database.cachedStatement(sql: "UPDATE store SET lastDate = max(lastDate, ?)").execute(
      arguments: [now.millisecondsSince1970])
  }

  /// Has an action run after the commit and before any other unit of work. It does not run if the commit fails.
  func afterCommit(_ action: @escaping @Sendable () -> Void) { actionsAfterCommit.append(action) }

  /// Has devices that wait for changes look again after the commit.
  func notifyDevices() { mustNotifyDevices = true }

  // MARK: Numbers and dates that are used once

  /// Reserves the next transaction number and its id.
  ///
  /// - Throws: ``AppStoreEmulatorError/epochExhausted``.
  func takeTransactionNumber() throws -> (sequence: Int64, id: TransactionID) {
    let next = try takeInteger("UPDATE store SET nextSequence = nextSequence + 1 RETURNING nextSequence")
    let sequence = next - 1
    guard StoreRow.sequences.contains(sequence),
      let id = TransactionID(rawValue: epoch.rawValue + String(format: "%09d", Int(sequence)))
    else { throw AppStoreEmulatorError.epochExhausted }
    return (sequence, id)
  }

  /// Returns a creation date for a receipt. Everything that is signed later has a later date, or the same.
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

  /// Gives every later receipt a later creation date than everything signed so far. Called with each revocation and its reversal.
  ///
  /// Receipts have whole seconds, so the date is that of the next second. Several revocations without a signature in between count
  /// as one, so that receipts are not dated further and further ahead of the clock.
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
  /// Makes the keys and certificates of a date, where they are missing. A transaction that could not be signed, and so not be
  /// delivered, must not be charged.
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
