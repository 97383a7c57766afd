import Dispatch
import DurableSQLite
import Foundation
import GRDB
import SignedData
import StoreModel

/// Checks snapshots before they are restored.
enum SnapshotCheck {
  /// Returns a copy of the snapshot in which every row can be read.
  ///
  /// - Throws: ``AppStoreEmulatorError/unusableSnapshot(reason:)``.
  static func checkedCopy(of snapshot: Data) async throws -> DurableDatabase {
    // On a dispatch queue, because checking a large file takes long and would block a thread of the concurrency pool.
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try check(snapshot) })
      }
    }
  }

  private static func check(_ snapshot: Data) throws -> DurableDatabase {
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
      try source.read(checkRows)
    } catch let error as AppStoreEmulatorError {
      if case .storeNotCreated = error { throw unusable("it is not a store's database") }
      throw error
    } catch {
      throw unusable("it holds what cannot be read: \(error)")
    }
    return source
  }

  /// Reads every row as the store reads it, and checks that a store can have written it.
  ///
  /// - Throws: ``AppStoreEmulatorError/unusableSnapshot(reason:)``, or the error of a row that cannot be read.
  static func checkRows(_ database: Database) throws {
    let identity = try checkStore(database)
    for table in StoreTables.catalog + StoreTables.trade { try checkRows(of: table, identity, database) }
    try checkRules(database)
  }

  /// Checks the store's own row.
  ///
  /// - Returns: the store's identity.
  static func checkStore(_ database: Database) throws -> InventedIdentity {
    // A copy of the row, because values that are read directly from SQLite are converted without type checks.
    guard let stored = try Row.fetchOne(database, StoreRow.all()) else { throw AppStoreEmulatorError.storeNotCreated }
    let row = try StoreRow(row: stored.copy())
    try check(row, database)
    try checkNumbers(of: StoreRow.databaseTableName, database)
    return InventedIdentity(seed: row.seed)
  }

  private static let types: [any SnapshotRow.Type] = [
    StoreApp.self, ProductRow.self, StoredCustomer.self, Installation.self, PaymentRow.self, InterruptedPurchase.self,
    StoredTransaction.self, Charge.self, Refund.self, Redelivery.self, DeviceChangeRow.self, OperatorPurchaseRow.self,
    SubscriptionRow.self, SubscriptionStepRow.self, OfferNonceRow.self, StoreEventRow.self, APIKeyRow.self,
    RefundRequestRow.self, ConsumptionInformationRow.self, MassExtensionRow.self,
  ]

  /// Checks each row of a table, except the store's own row, by itself.
  static func checkRows(of table: String, _ identity: InventedIdentity, _ database: Database) throws {
    guard let type = types.first(where: { $0.databaseTableName == table }) else {
      throw unusable("\(table) is not checked")
    }
    try checkRows(type, identity, database)
    try checkNumbers(of: table, database)
  }

  private static func checkRows<Record: SnapshotRow>(
    _ type: Record.Type, _ identity: InventedIdentity, _ database: Database
  ) throws {
    let rows = try Row.fetchCursor(database, Record.all())
    var number = 0
    while let row = try rows.next() {
      number += 1
      // A copy of the row, as in ``checkStore(_:)``.
      let record = try Record(row: row.copy())
      let path = "\(Record.databaseTableName) \(number)"
      try SnapshotValues.check(record, path: path)
      if let fault = record.fault(identity) { throw unusable("\(path): \(fault)") }
    }
  }

  /// Checks rows against one another.
  static func checkRules(_ database: Database) throws {
    for rule in SnapshotRule.all where try rule.isBroken(in: database) { throw unusable(rule.reason) }
  }

  private static func check(_ row: StoreRow, _ database: Database) throws {
    guard StoreRow.generations.contains(row.generation), row.epoch.rawValue.wholeMatch(of: /[1-8][0-9]{9}/) != nil,
      row.quoteKey.count == 32, row.firstChange.rawValue >= 0,
      StoreRow.restorableSequences.contains(row.nextSequence),
      try Int64.fetchOne(database, sql: "SELECT max(sequence) FROM transactionRecord") ?? 0 < row.nextSequence,
      try Int64.fetchOne(database, sql: "SELECT max(sequence) FROM redelivery") ?? 0 < row.nextSequence,
      (1...999_999_999_999).contains(row.nextRevision),
      try Int64.fetchOne(database, sql: "SELECT max(\(StoredTransaction.changeNumberSQL)) FROM transactionRecord") ?? 0
        < row.nextRevision,
      try Int64.fetchOne(database, sql: "SELECT max(revision) FROM subscription") ?? 0 < row.nextRevision,
      // A store adds one customer after the other, and never gets to this number.
      (1...Int64(Int32.max)).contains(row.nextCustomerNumber),
      try Int64.fetchOne(database, sql: "SELECT max(number) FROM customer") ?? 0 < row.nextCustomerNumber
    else { throw unusable("its counters are damaged") }
    guard Territory(countryCode: row.storefrontCountryCode) != nil else {
      throw unusable("\(row.storefrontCountryCode) is not a storefront known here")
    }
    guard min(row.lastDate, row.lastSignedDate, row.receiptFloor).millisecondsSince1970 >= 0 else {
      throw unusable("its clock is before 1970")
    }
    guard row.latestDate <= IssuingAuthority.signableDates.upperBound else {
      throw unusable("its clock is at \(row.latestDate), when nothing can be signed any more")
    }
    guard (try? row.settings.checked()) != nil else {
      throw unusable("\(row.settings.locale ?? "") in its settings is not a locale")
    }
  }

  /// Checks that columns of numbers contain whole numbers, and those of truth values 0 or 1. Reading takes 1.5 for 1, and
  /// every other number than 0 for true; SQL does not.
  private static func checkNumbers(of table: String, _ database: Database) throws {
    let faults = try database.columns(in: table).compactMap { column -> String? in
      let name = column.name.quotedDatabaseIdentifier
      switch column.type {
      case "BOOLEAN": return "\(name) NOT IN (0, 1)"
      case "INTEGER": return "typeof(\(name)) NOT IN ('integer', 'null')"
      default: return nil
      }
    }
    guard !faults.isEmpty else { return }
    let isFaulty = try Bool.fetchOne(
      database,
      sql: """
        SELECT EXISTS (
          SELECT 1 FROM \(table.quotedDatabaseIdentifier) WHERE \(faults.joined(separator: " OR ")))
        """)
    if isFaulty == true { throw unusable("a number of \(table) is not whole, or a truth value neither 0 nor 1") }
  }

  private static func unusable(_ reason: String) -> AppStoreEmulatorError { .unusableSnapshot(reason: reason) }
}
