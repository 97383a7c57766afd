import DurableSQLite
import Foundation
import GRDB
import StoreModel

/// The durable data of this installation: its identity, its store, every payment until it is finished, and the verified
/// transactions (``DeviceTransaction``).
///
/// Every method that changes something commits before it returns. The tables are described in Documentation/storage.md.
struct PaymentJournal: Sendable {
  let database: DurableDatabase
  let installationID: InstallationID
  let deviceID: UUID
  let receiptOrder = ReceiptOrder()
  /// The account of the first sign-in, until the next commit stores it.
  let firstAccount = LockedValue<AccountName?>(nil)
  let announcing: LockedValue<Announcing>
  /// The statuses whose renewal information was not verified, by their original transactions. They are not stored.
  let unverifiedStatuses = LockedValue<[TransactionID: UnverifiedStatus]>([:])

  /// Opens the journal at `url`, or creates it for a new installation.
  ///
  /// - Parameters:
  ///   - url: the file; nil to keep it in memory.
  ///   - bundleID, environment: the app and environment of the installation. A file of another app or environment is
  ///     refused.
  ///   - deviceID: this device; nil for the device of an existing file, or for a new device. A file of another device is
  ///     refused.
  ///   - makeUUID: makes new identifiers.
  ///   - reusesDatabase: whether a journal in memory uses the database of an earlier one again.
  init(
    at url: URL?, bundleID: BundleID, environment: StoreEnvironment, deviceID: UUID?, makeUUID: () -> UUID,
    reusesDatabase: Bool = false
  ) throws {
    database = try DurableSQLite.open(
      at: url, migrator: Self.migrator, reusedAs: reusesDatabase ? "journal" : nil)
    do {
      let (row, announcing) = try database.write { database in
        if let row = try InstallationRow.ofJournal(database) {
          // A file of another app is refused below, and not changed.
          if row.bundleID == bundleID, row.environment == environment,
            deviceID == nil || deviceID?.uuidString == row.deviceID
          {
            try Self.removeEntriesWithoutCaller(in: database)
          }
          return (row, try Announcing(stored: database))
        }
        let row = InstallationRow(
          installationID: InstallationID(makeUUID().uuidString), bundleID: bundleID, environment: environment,
          deviceID: (deviceID ?? makeUUID()).uuidString)
        try row.insert(database)
        return (row, Announcing())
      }
      self.announcing = LockedValue(announcing)
      guard row.bundleID == bundleID, row.environment == environment else {
        throw StoreKitDeviceError.folderOfAnotherApp(row.bundleID, row.environment)
      }
      guard let storedDeviceID = UUID(uuidString: row.deviceID) else {
        throw DurableSQLiteError.damaged(path: url?.path ?? ":memory:", reason: "the device id is not a UUID")
      }
      if let deviceID, deviceID != storedDeviceID { throw StoreKitDeviceError.folderOfAnotherDevice(storedDeviceID) }
      installationID = row.installationID
      self.deviceID = storedDeviceID
    } catch {
      try? database.close()
      throw error
    }
  }

  func close() throws { try database.close() }

  // MARK: Entries

  /// Stores a payment, before anything is sent.
  ///
  /// - Parameters:
  ///   - date: the current date.
  ///   - interface: 2 for a payment of StoreKit 2, otherwise nil.
  func add(_ payment: PaymentRequest, at date: StoreDate, interface: Int? = nil) throws -> QueueEntry {
    try database.write { database in
      var row = EntryRow(
        payment: payment, paymentID: payment.paymentID, state: .added, addedDate: date, interface: interface)
      try row.insert(database)
      return try row.entry
    }
  }

  /// Removes the payments of StoreKit 2 that were not confirmed or have failed. No call of an earlier launch waits for them,
  /// and no app finishes them.
  private static func removeEntriesWithoutCaller(in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM queueEntry WHERE interface = ? AND stage IN ('added', 'failed')",
      arguments: [QueueEntry.storeKit2])
  }

  /// All entries in order, and descriptions of the entries that cannot be read.
  ///
  /// An unreadable entry does not prevent the delivery of the others.
  func entries() throws -> (readable: [QueueEntry], damaged: [String]) {
    try database.read { database in
      let rows = try Row.fetchCursor(database.cachedStatement(sql: "\(EntryRow.select) ORDER BY sequence"))
      var result: (readable: [QueueEntry], damaged: [String]) = ([], [])
      while let row = try rows.next() {
        do {
          result.readable.append(try EntryRow(row: row).entry)
        } catch {
          result.damaged.append(
            "Entry \(row["sequence"] as Int64? ?? 0) of the payment journal cannot be read: \(error)")
        }
      }
      return result
    }
  }

  /// The payments to send, in order.
  func payments() throws -> [QueueEntry] {
    try database.read { database in
      try ["added", "confirmed"].flatMap { try Self.entries(in: $0, database) }.sorted { $0.sequence < $1.sequence }
    }
  }

  /// The first payment to send; nil if there is none.
  func firstPayment() throws -> QueueEntry? {
    try database.read { database in
      try ["added", "confirmed"].compactMap { try Self.first(in: $0, after: 0, database) }.min {
        $0.sequence < $1.sequence
      }
    }
  }

  /// The payments that wait for approval, in order.
  func deferredPayments() throws -> [QueueEntry] { try database.read { try Self.entries(in: "deferred", $0) } }

  /// The first finish to send after an entry; nil if there is none.
  func finish(after sequence: Int64) throws -> QueueEntry? {
    try database.read { try Self.first(in: "finishing", after: sequence, $0) }
  }

  /// Whether a payment was neither confirmed nor given up.
  func isAdded(_ sequence: Int64) throws -> Bool {
    try database.read { database in
      let statement = try database.cachedStatement(sql: "SELECT stage = 'added' FROM queueEntry WHERE sequence = ?")
      return try Bool.fetchOne(statement, arguments: [sequence]) == true
    }
  }

  /// The readable entries of a stage whose state has no signed transaction, in order.
  static func entries(in stage: String, _ database: Database) throws -> [QueueEntry] {
    let statement = try database.cachedStatement(sql: "SELECT * FROM queueEntry WHERE stage = ? ORDER BY sequence")
    return try Row.fetchAll(statement, arguments: [stage]).compactMap { try? EntryRow(row: $0).entry }
  }

  /// The first readable entry of a stage whose state has no signed transaction. It reads this row, and the unreadable
  /// ones before it.
  private static func first(in stage: String, after sequence: Int64, _ database: Database) throws -> QueueEntry? {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM queueEntry WHERE stage = ? AND sequence > ? ORDER BY sequence")
    let rows = try Row.fetchCursor(statement, arguments: [stage, sequence])
    while let row = try rows.next() {
      if let entry = try? EntryRow(row: row).entry { return entry }
    }
    return nil
  }

  /// Applies `event` to an entry. Returns nil if the entry was removed, or the event does not change it.
  func apply(_ event: PaymentEvent, to sequence: Int64) throws -> (entry: QueueEntry, effects: [PaymentEffect])? {
    try database.write { database in
      guard let row = try Self.row(sequence, in: database) else { return nil }
      return try apply(event, to: row, in: database)
    }
  }

  static func row(_ sequence: Int64, in database: Database) throws -> EntryRow? {
    let statement = try database.cachedStatement(sql: "\(EntryRow.select) WHERE sequence = ?")
    return try EntryRow.fetchOne(statement, arguments: [sequence])
  }

  /// Applies an event to an entry, as part of a commit. A failed payment of StoreKit 2 is removed, because no app finishes
  /// it.
  func apply(
    _ event: PaymentEvent, to row: EntryRow, signed: TransactionID? = nil, in database: Database
  ) throws -> (entry: QueueEntry, effects: [PaymentEffect])? {
    var entry = try row.entry
    guard let transition = entry.state.applying(event) else { return nil }
    if let state = transition.state {
      entry.state = state
      entry.signedTransactionID = signed ?? row.signedTransactionID
      guard case .failed = state else {
        var changed = row
        changed.set(state, signed: signed ?? row.signedTransactionID)
        try changed.update(database)
        if case .deferred = state { try releaseHeld(in: database) }
        return (entry, transition.effects)
      }
      if row.isOfStoreKit2 {
        try row.delete(database)
      } else {
        var changed = row
        changed.set(state, signed: signed ?? row.signedTransactionID)
        try changed.update(database)
      }
      if row.isUndecided { try releaseHeld(in: database) }
    } else {
      try row.delete(database)
      if let signed = row.signedTransactionID {
        try DeviceTransactionTable.removeAfterFinish(of: signed, in: database)
      }
      if case .finishing(let id) = entry.state, row.isOfStoreKit2 {
        try DeviceTransactionTable.setFinished(id, in: database)
      }
    }
    return (entry, transition.effects)
  }

  /// Finishes all entries of a signed transaction, in one commit.
  ///
  /// A transaction that was delivered to another device has no entry here. If it is no consumable, an entry that is
  /// finishing is stored, so that the store receives the finish. While a payment for its product is undecided, the
  /// transaction may be the one of that payment, which will have an entry: it stays unfinished then, and comes again.
  ///
  /// - Parameter jws: the transaction as the app has received it; nil if that is not known. Its announcement is cleared,
  ///   unless the transaction has another content since then.
  /// - Returns: the entries and the effects of their finish.
  func finish(
    signed id: TransactionID, receivedAs jws: String? = nil
  ) throws -> [(entry: QueueEntry, effects: [PaymentEffect])] {
    try database.write { database in
      if let jws { try clearAnnouncement(of: id, receivedAs: jws, in: database) }
      let rows = try EntryRow.fetchAll(
        database.cachedStatement(
          sql: "\(EntryRow.select) WHERE signedTransactionID = ?1 OR queueEntry.transactionID = ?1 ORDER BY sequence"),
        arguments: [id.rawValue])
      guard rows.isEmpty else {
        return try rows.compactMap { try apply(.finishRequested, to: $0, in: database) }
      }
      let statement = try database.cachedStatement(
        sql: "\(DeviceTransactionTable.select) WHERE deviceTransaction.transactionID = ?")
      let stored = try Row.fetchOne(statement, arguments: [id.rawValue]).map(DeviceTransactionTable.transaction)
      guard let stored, stored.finishState == .undelivered, stored.type != .consumable,
        try !undecidedProducts(["confirmed", "deferred"], in: database).contains(stored.productID)
      else { return [] }
      var row = EntryRow(
        payment: PaymentRequest(paymentID: "", productID: stored.productID), paymentID: nil, state: .finishing(id),
        interface: QueueEntry.storeKit2)
      try row.insert(database)
      return [(try row.entry, [.sendFinish(id)])]
    }
  }

  /// Whether there is a payment or a finish of StoreKit 2 that an earlier launch has not completed.
  func hasOpenEntriesOfStoreKit2() throws -> Bool {
    try database.read { database in
      try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (SELECT 1 FROM queueEntry
            WHERE interface = ? AND stage IN ('confirmed', 'deferred', 'finishing'))
          """, arguments: [QueueEntry.storeKit2]) == true
    }
  }
}
