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
  init(
    at url: URL?, bundleID: BundleID, environment: StoreEnvironment, deviceID: UUID?, makeUUID: () -> UUID
  ) throws {
    database = try DurableSQLite.open(at: url, migrator: Self.migrator)
    do {
      let (row, announcing) = try database.write { database in
        if let row = try InstallationRow.fetchOne(database) {
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

  /// Records the answer to a payment, its verified transactions, and its receipt, in one commit.
  ///
  /// - Parameters:
  ///   - account: the account that confirmed the payment.
  ///   - isAwaited: whether a call of `Product.purchase(options:)` waits for the answer. If not, its transaction is
  ///     announced.
  ///   - announces: whether transactions are announced: StoreKit 2 is in use.
  /// - Returns: the entry to report to the app. Nil if the entry was removed, or if the list of unfinished
  ///   transactions, which another worker requests, has delivered the transaction already.
  func accept(
    _ arrival: Arrival, answering sequence: Int64, paidBy account: AccountName,
    keeping transactions: [DeviceTransaction] = [], receipt: VerifiedReceipt?, isAwaited: Bool = false,
    announces: Bool = false
  ) throws -> QueueEntry? {
    try write(receipt) { database in
      let before = announces ? try contents(of: transactions, in: database) : [:]
      try keep(transactions, of: account, in: database)
      guard var row = try Self.row(sequence, in: database) else { return nil }
      row.show(arrival.transaction.productID)
      guard let changed = try answer(row, with: arrival, in: database) else { return nil }
      if announces {
        try announce(
          transactions, before: before, answered: [(changed, isAwaited, arrival.isRedelivered)], in: database)
      }
      return changed
    }
  }

  /// Applies the transaction of a payment to its entry.
  ///
  /// If the store has redelivered an owned product to a payment of StoreKit 2, the entry is finished at once: it has no
  /// purchase of its own, and the app receives the transaction that it owns already.
  private func answer(_ row: EntryRow, with arrival: Arrival, in database: Database) throws -> QueueEntry? {
    guard let purchased = try apply(.purchased(arrival.transaction), to: row, signed: arrival.signed, in: database)
    else { return nil }
    guard row.isOfStoreKit2, arrival.isRedelivered, let changed = try Self.row(purchased.entry.sequence, in: database)
    else { return purchased.entry }
    return try apply(.finishRequested, to: changed, in: database)?.entry
  }

  /// Records the store's list of unfinished transactions, and its receipt, in one commit.
  ///
  /// - Parameters:
  ///   - arrivals: the transactions for the queue.
  ///   - transactions: all verified transactions of the list.
  ///   - account: the account that was signed in when the list was requested.
  ///   - awaited: the payments for which a call of `Product.purchase(options:)` waits.
  ///   - announces: whether transactions are announced: StoreKit 2 is in use.
  /// - Returns: the entries to report to the app.
  func accept(
    unfinished arrivals: [Arrival], keeping transactions: [DeviceTransaction] = [],
    requestedBy account: AccountName? = nil, receipt: VerifiedReceipt?, awaited: Set<Int64> = [],
    announces: Bool = false
  ) throws -> [QueueEntry] {
    try write(receipt) { database in
      let before = announces ? try contents(of: transactions, in: database) : [:]
      try keep(transactions, requestedBy: account, in: database)
      var answered: [(entry: QueueEntry, isAwaited: Bool, isRedelivered: Bool)] = []
      var delivered: Set<TransactionID> = []
      let changed = try arrivals.compactMap { arrival in
        let (entry, isAnswer, isNew) = try accept(arrival, in: database)
        if let entry, isAnswer {
          answered.append((entry, awaited.contains(entry.sequence), arrival.isRedelivered))
        } else if let entry, isNew, !arrival.isRedelivered, let id = entry.signedTransactionID {
          delivered.insert(id)
        }
        return entry
      }
      if announces {
        try announce(transactions, before: before, answered: answered, delivered: delivered, in: database)
      }
      return changed
    }
  }

  /// Records a page of restored transactions, and its receipt, in one commit.
  ///
  /// - Parameter account: the account that was signed in when the page was requested.
  /// - Returns: the entries to report to the app.
  func accept(
    restored arrivals: [Arrival], keeping transactions: [DeviceTransaction] = [],
    requestedBy account: AccountName? = nil,
    receipt: VerifiedReceipt?
  ) throws -> [QueueEntry] {
    try write(receipt) { database in
      try keep(transactions, requestedBy: account, in: database)
      return try arrivals.compactMap { arrival in
        let known = try Self.readableRow("transactionID", arrival.transaction.transactionID.rawValue, in: database)
        guard known == nil else { return nil }
        var row = EntryRow(
          payment: arrival.paymentShown, paymentID: nil, state: .restored(arrival.transaction), signed: arrival.signed)
        try row.insert(database)
        return try row.entry
      }
    }
  }

  /// - Returns: the entry to report to the app, whether the transaction is the answer to its payment, and whether the entry
  ///   is a new one.
  private func accept(
    _ arrival: Arrival, in database: Database
  ) throws -> (entry: QueueEntry?, isAnswer: Bool, isNew: Bool) {
    // A transaction that was delivered before and is still unfinished may have been refunded in part since then.
    let transaction = arrival.transaction.transactionID.rawValue
    if let known = try Self.readableRow("transactionID", transaction, in: database) {
      let applied = try apply(.purchased(arrival.transaction), to: known, signed: arrival.signed, in: database)
      return (applied?.entry, false, false)
    }
    // The payment id is not signed, so the transaction must also match the payment's content.
    let known = try arrival.payment.flatMap { try Self.readableRow("paymentID", $0.rawValue, in: database) }
    if var answered = known, arrival.answers(try answered.entry.payment) {
      answered.show(arrival.transaction.productID)
      if let account = answered.account, let signed = arrival.signed {
        try DeviceTransactionTable.set(account: account, of: signed, in: database)
      }
      if let entry = try answer(answered, with: arrival, in: database) { return (entry, true, false) }
    }
    // The purchase was made outside the app, or the journal of its payment was lost, or its payment failed here
    // although the store has charged it. The transaction becomes a new entry. A failed entry is not reused, because the
    // app may be finishing it at this moment.
    var row = EntryRow(
      payment: arrival.paymentShown, paymentID: known == nil ? arrival.payment : nil,
      state: .purchased(arrival.transaction), signed: arrival.signed)
    try row.insert(database)
    return (try row.entry, false, true)
  }

  /// Returns the entry of a transaction or payment; nil if there is none. An unreadable entry is removed: the store's
  /// delivery, which is signed, replaces it.
  private static func readableRow(
    _ column: String, _ value: String, in database: Database
  ) throws -> EntryRow? {
    let statement = try database.cachedStatement(sql: "\(EntryRow.select) WHERE queueEntry.\(column) = ?")
    guard let row = try Row.fetchOne(statement, arguments: [value]) else { return nil }
    do {
      let entryRow = try EntryRow(row: row)
      _ = try entryRow.entry
      return entryRow
    } catch {
      try database.execute(sql: "DELETE FROM queueEntry WHERE sequence = ?", arguments: [row["sequence"] as Int64?])
      return nil
    }
  }

  /// Stores a receipt, unless a newer one is stored, and makes other changes in the same commit.
  private func write<Value>(_ receipt: VerifiedReceipt?, _ updates: (Database) throws -> Value) throws -> Value {
    try database.write { database in
      let stored = try receipt.flatMap { try store($0, in: database) }
      return (try updates(database), stored)
    } committed: { _, stored in
      if let stored { receiptOrder.kept(stored) }
    }.0
  }

  /// Stores a receipt. Answers to several kinds of calls contain receipts, and an older receipt may arrive later.
  /// Creation dates have whole seconds; ``ReceiptOrder`` decides between receipts of the same second.
  ///
  /// - Returns: nil if a newer receipt is stored.
  private func store(_ receipt: VerifiedReceipt, in database: Database) throws -> VerifiedReceipt? {
    let kept = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT receiptDate FROM installation WHERE receipt IS NOT NULL"))
    if let kept, kept > receipt.creationDate.millisecondsSince1970 { return nil }
    if kept == receipt.creationDate.millisecondsSince1970 {
      let waiting = try String.fetchAll(
        database.cachedStatement(
          sql: "SELECT transactionID FROM queueEntry WHERE stage = 'purchased' AND transactionID IS NOT NULL"))
      guard receiptOrder.isNewer(receipt, waiting: Set(waiting.compactMap(TransactionID.init(rawValue:)))) else {
        return nil
      }
    }
    try database.cachedStatement(sql: "UPDATE installation SET receipt = ?1, receiptDate = ?2").execute(
      arguments: [receipt.data, receipt.creationDate.millisecondsSince1970])
    return receipt
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
        try !undecidedProducts(in: database).contains(stored.productID)
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

  /// Stores a receipt that arrived without transactions.
  func keep(_ receipt: VerifiedReceipt) throws { try write(receipt) { _ in } }

  /// The newest app receipt; nil if none has arrived.
  func receipt() throws -> Data? {
    try database.read { try Data.fetchOne($0, sql: "SELECT receipt FROM installation") }
  }
}
