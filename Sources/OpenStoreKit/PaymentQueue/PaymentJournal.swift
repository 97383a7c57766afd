import DurableSQLite
import Foundation
import GRDB
import StoreModel

/// What this installation must not forget: who it is, which store it belongs to, and every payment until it is finished.
///
/// Every method that changes something has committed it when it returns. The tables are described in
/// Documentation/storage.md.
struct PaymentJournal: Sendable {
  private let database: DurableDatabase
  let installationID: InstallationID
  let deviceID: UUID

  /// Opens the journal in `url`, or creates it for a new installation.
  ///
  /// - Parameters:
  ///   - url: the file; nil for memory.
  ///   - deviceID: the device this installation is on; nil for a new one. What is on file wins.
  ///   - makeUUID: where new identifiers come from.
  init(at url: URL?, deviceID: UUID?, makeUUID: () -> UUID) throws {
    database = try DurableSQLite.open(at: url, migrator: Self.migrator)
    let row = try database.write { database in
      if let row = try InstallationRow.fetchOne(database) { return row }
      let row = InstallationRow(
        installationID: InstallationID(makeUUID().uuidString), deviceID: (deviceID ?? makeUUID()).uuidString)
      try row.insert(database)
      return row
    }
    guard let deviceID = UUID(uuidString: row.deviceID) else {
      throw DurableSQLiteError.damaged(path: url?.path ?? ":memory:", reason: "the device id is not a UUID")
    }
    installationID = row.installationID
    self.deviceID = deviceID
  }

  func close() throws { try database.close() }

  // MARK: Entries

  /// Journals a payment, before anything is sent.
  func add(_ payment: PaymentRequest) throws -> QueueEntry {
    try database.write { database in
      var row = EntryRow(payment: payment, paymentID: payment.paymentID, state: .added)
      try row.insert(database)
      return try row.entry
    }
  }

  /// Everything that is in the queue or on its way out, in order.
  func entries() throws -> [QueueEntry] {
    try database.read { try EntryRow.order(Column("sequence")).fetchAll($0).map { try $0.entry } }
  }

  /// The payment that is to be forwarded next.
  func nextPayment() throws -> QueueEntry? {
    try firstEntry(in: ["added", "confirmed"])
  }

  /// The finish that is to be sent next.
  func nextFinish() throws -> QueueEntry? {
    try firstEntry(in: ["finishing"])
  }

  private func firstEntry(in stages: [String]) throws -> QueueEntry? {
    try database.read { database in
      try EntryRow.filter(stages.contains(Column("stage"))).order(Column("sequence")).fetchOne(database)?.entry
    }
  }

  /// Applies `event` to an entry. Nil if the entry is gone or the event changes nothing there.
  func apply(_ event: PaymentEvent, to sequence: Int64) throws -> (entry: QueueEntry, effects: [PaymentEffect])? {
    try database.write { database in
      guard let row = try EntryRow.fetchOne(database, key: sequence) else { return nil }
      return try Self.apply(event, to: row, in: database)
    }
  }

  /// Records what the store delivered, with the receipt that came along, in one commit.
  ///
  /// - Returns: the entries that the app has to be told of.
  func accept(_ arrivals: [Arrival], receipt: Data?) throws -> [QueueEntry] {
    try database.write { database in
      var changed: [QueueEntry] = []
      for arrival in arrivals {
        let known = try arrival.payment.flatMap {
          try EntryRow.filter(Column("paymentID") == $0.rawValue).fetchOne(database)
        }
        if let known, let applied = try Self.apply(.purchased(arrival.transaction), to: known, in: database) {
          changed.append(applied.entry)
        } else if try EntryRow.filter(Column("transactionID") == arrival.transaction.transactionID.rawValue)
          .isEmpty(database)
        {
          // Bought outside the app, or paid by this installation before its journal was lost. Or the payment failed here,
          // and the store proves that it was charged all the same: then it comes as an entry of its own, because the app
          // may be finishing the failed one at this moment.
          var row = EntryRow(
            payment: PaymentRequest(
              paymentID: arrival.payment ?? "", productID: arrival.transaction.productID,
              quantity: arrival.transaction.quantity, applicationUsername: arrival.applicationUsername),
            paymentID: known == nil ? arrival.payment : nil, state: .purchased(arrival.transaction))
          try row.insert(database)
          changed.append(try row.entry)
        }
      }
      if let receipt {
        try database.execute(sql: "UPDATE installation SET receipt = ?", arguments: [receipt])
      }
      return changed
    }
  }

  /// A verified transaction and the payment it answers.
  struct Arrival: Sendable {
    let payment: PaymentID?
    let transaction: PurchasedTransaction
    let applicationUsername: String?
  }

  private static func apply(
    _ event: PaymentEvent, to row: EntryRow, in database: Database
  ) throws -> (entry: QueueEntry, effects: [PaymentEffect])? {
    var entry = try row.entry
    guard let transition = entry.state.applying(event) else { return nil }
    if let state = transition.state {
      var changed = row
      changed.set(state)
      try changed.update(database)
      entry.state = state
    } else {
      try row.delete(database)
    }
    return (entry, transition.effects)
  }

  // MARK: The store

  /// Binds the journal to the store that greeted it.
  ///
  /// In another epoch, confirmations that were under way have failed: the books that could hold their charge are
  /// gone with the epoch.
  ///
  /// - Returns: the entries that failed for that.
  /// - Throws: ``StoreKitDeviceError/storeRootChanged`` if the same epoch comes under another root.
  func adopt(epoch: StoreEpoch, rootFingerprint: String) throws -> [QueueEntry] {
    try database.write { database in
      guard var installation = try InstallationRow.fetchOne(database) else { return [] }
      if installation.epoch == epoch {
        guard installation.rootFingerprint == rootFingerprint else { throw StoreKitDeviceError.storeRootChanged }
        return []
      }
      let isFirstContact = installation.epoch == nil
      installation.epoch = epoch
      installation.rootFingerprint = rootFingerprint
      try installation.update(database)
      if isFirstContact { return [] }
      return try EntryRow.filter(Column("stage") == "confirmed").order(Column("sequence")).fetchAll(database)
        .compactMap { row in
          let failure = PaymentFailure(
            .unknown, "Cannot connect to iTunes Store",
            underlying: "The store was reset while this payment was under way.")
          return try Self.apply(.failed(failure), to: row, in: database)?.entry
        }
    }
  }

  /// The newest app receipt that came with a delivery.
  func receipt() throws -> Data? {
    try database.read { try Data.fetchOne($0, sql: "SELECT receipt FROM installation") }
  }

  // MARK: Schema

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 payments") { database in
      try database.create(table: "installation") { table in
        table.primaryKey("id", .integer).check { $0 == 1 }
        table.column("installationID", .text).notNull()
        table.column("deviceID", .text).notNull()
        table.column("epoch", .text)
        table.column("rootFingerprint", .text)
        table.column("receipt", .blob)
      }
      try database.create(table: "queueEntry") { table in
        // AUTOINCREMENT: a number is never used again, so that a late finish cannot hit another payment.
        table.autoIncrementedPrimaryKey("sequence")
        table.column("paymentID", .text).unique()
        table.column("transactionID", .text).unique()
        table.column("stage", .text).notNull().indexed()
        table.column("payment", .text).notNull()
        table.column("state", .text).notNull()
      }
    }
    return migrator
  }
}
