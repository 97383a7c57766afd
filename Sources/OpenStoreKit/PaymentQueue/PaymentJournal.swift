import DurableSQLite
import Foundation
import GRDB
import StoreModel

/// What this installation must not forget: who it is, which store it belongs to, and every payment until it is finished.
///
/// Every method that changes something has committed it when it returns. The tables are described in
/// Documentation/storage.md.
struct PaymentJournal: Sendable {
  let database: DurableDatabase
  let installationID: InstallationID
  let deviceID: UUID
  let receiptOrder = ReceiptOrder()

  /// Opens the journal in `url`, or creates it for a new installation.
  ///
  /// - Parameters:
  ///   - url: the file; nil for memory.
  ///   - bundleID, environment: whose installation it is; a file of another's is refused.
  ///   - deviceID: the device this installation is on; nil for a new one. What is on file wins.
  ///   - makeUUID: where new identifiers come from.
  init(
    at url: URL?, bundleID: BundleID, environment: StoreEnvironment, deviceID: UUID?, makeUUID: () -> UUID
  ) throws {
    database = try DurableSQLite.open(at: url, migrator: Self.migrator)
    let row = try database.write { database in
      if let row = try InstallationRow.fetchOne(database) { return row }
      let row = InstallationRow(
        installationID: InstallationID(makeUUID().uuidString), bundleID: bundleID, environment: environment,
        deviceID: (deviceID ?? makeUUID()).uuidString)
      try row.insert(database)
      return row
    }
    guard row.bundleID == bundleID, row.environment == environment else {
      throw StoreKitDeviceError.folderOfAnotherApp(row.bundleID, row.environment)
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

  /// Everything that is in the queue or on its way out, in order; and what of it cannot be read, in words.
  ///
  /// One line that cannot be read must not keep the others from the app.
  func entries() throws -> (readable: [QueueEntry], damaged: [String]) {
    try database.read { try Self.readEntries(stages: nil, in: $0) }
  }

  /// The payments that are to be forwarded, in order.
  func payments() throws -> [QueueEntry] {
    try database.read { try Self.readEntries(stages: ["added", "confirmed"], in: $0).readable }
  }

  /// The payments that wait for somebody's approval, in order.
  func deferredPayments() throws -> [QueueEntry] {
    try database.read { try Self.readEntries(stages: ["deferred"], in: $0).readable }
  }

  /// The finishes that are to be sent, in order.
  func finishes() throws -> [QueueEntry] {
    try database.read { try Self.readEntries(stages: ["finishing"], in: $0).readable }
  }

  private static func readEntries(
    stages: [String]?, in database: Database
  ) throws -> (readable: [QueueEntry], damaged: [String]) {
    let condition = stages.map { "WHERE stage IN (\($0.map { _ in "?" }.joined(separator: ", ")))" } ?? ""
    let statement = try database.cachedStatement(sql: "SELECT * FROM queueEntry \(condition) ORDER BY sequence")
    let rows = try Row.fetchCursor(statement, arguments: StatementArguments(stages ?? []))
    var result: (readable: [QueueEntry], damaged: [String]) = ([], [])
    while let row = try rows.next() {
      do {
        result.readable.append(try EntryRow(row: row).entry)
      } catch {
        result.damaged.append("Entry \(row["sequence"] as Int64? ?? 0) of the payment journal cannot be read: \(error)")
      }
    }
    return result
  }

  /// Applies `event` to an entry. Nil if the entry is gone or the event changes nothing there.
  func apply(_ event: PaymentEvent, to sequence: Int64) throws -> (entry: QueueEntry, effects: [PaymentEffect])? {
    try database.write { database in
      guard let row = try Self.row(sequence, in: database) else { return nil }
      return try Self.apply(event, to: row, in: database)
    }
  }

  /// Records the answer to one payment, with the receipt that came along, in one commit.
  ///
  /// - Returns: the entry that the app has to be told of; nil where the payment is gone or was delivered before, by the list
  ///   of unfinished transactions, which travels on a line of its own.
  func accept(_ arrival: Arrival, answering sequence: Int64, receipt: VerifiedReceipt?) throws -> QueueEntry? {
    try write(receipt) { database in
      guard let row = try Self.row(sequence, in: database) else { return nil }
      return try Self.apply(.purchased(arrival.transaction), to: row, in: database)?.entry
    }
  }

  /// Records what the store says is unfinished, with the receipt that came along, in one commit.
  ///
  /// - Returns: the entries that the app has to be told of.
  func accept(unfinished arrivals: [Arrival], receipt: VerifiedReceipt?) throws -> [QueueEntry] {
    try write(receipt) { database in
      return try arrivals.compactMap { try Self.accept($0, in: database) }
    }
  }

  /// Records a page of what was restored, with the receipt that came along, in one commit.
  ///
  /// - Returns: the entries that the app has to be told of.
  func accept(restored arrivals: [Arrival], receipt: VerifiedReceipt?) throws -> [QueueEntry] {
    try write(receipt) { database in
      return try arrivals.compactMap { arrival in
        let known = try Self.readableRow("transactionID", arrival.transaction.transactionID.rawValue, in: database)
        guard known == nil else { return nil }
        var row = EntryRow(payment: arrival.paymentShown, paymentID: nil, state: .restored(arrival.transaction))
        try row.insert(database)
        return try row.entry
      }
    }
  }

  private static func accept(_ arrival: Arrival, in database: Database) throws -> QueueEntry? {
    // Delivered before, on this line of work or the other. Unfinished, it may have been refunded in part since.
    let transaction = arrival.transaction.transactionID.rawValue
    if let known = try readableRow("transactionID", transaction, in: database) {
      return try apply(.purchased(arrival.transaction), to: known, in: database)?.entry
    }
    // Which payment it answers is not signed, so its content decides whether it may.
    let known = try arrival.payment.flatMap { try readableRow("paymentID", $0.rawValue, in: database) }
    if let known, arrival.answers(try known.entry.payment),
      let applied = try apply(.purchased(arrival.transaction), to: known, in: database)
    {
      return applied.entry
    }
    // Bought outside the app, or paid by this installation before its journal was lost. Or the payment failed here, and the
    // store proves that it was charged all the same: then it comes as an entry of its own, because the app may be
    // finishing the failed one at this moment.
    var row = EntryRow(
      payment: arrival.paymentShown, paymentID: known == nil ? arrival.payment : nil,
      state: .purchased(arrival.transaction))
    try row.insert(database)
    return try row.entry
  }

  /// The entry of that transaction or payment. One that cannot be read is taken out: what the store delivers takes its
  /// place, with the proof.
  private static func readableRow(
    _ column: String, _ value: String, in database: Database
  ) throws -> EntryRow? {
    let statement = try database.cachedStatement(sql: "SELECT * FROM queueEntry WHERE \(column) = ?")
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

  /// Stores a receipt. Receipts come with the answers to several kinds of calls, and an older one may come later. Their dates have whole
  /// seconds; ``ReceiptOrder`` decides between two of the same second.
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

  private static func row(_ sequence: Int64, in database: Database) throws -> EntryRow? {
    let statement = try database.cachedStatement(sql: "SELECT * FROM queueEntry WHERE sequence = ?")
    return try EntryRow.fetchOne(statement, arguments: [sequence])
  }

  /// A verified transaction, and what was said of it without being signed.
  struct Arrival: Sendable {
    /// Which payment it is said to answer; not signed.
    let payment: PaymentID?
    let transaction: PurchasedTransaction
    let appAccountToken: UUID?
    /// What the app called its user, as the store repeats it; not signed.
    let applicationUsername: String?
    /// Whether the customer had it already.
    var isRedelivered = false

    /// The payment as the app is shown it, where this journal has none.
    var paymentShown: PaymentRequest {
      PaymentRequest(
        paymentID: payment ?? "", productID: transaction.productID, quantity: transaction.quantity,
        applicationUsername: appAccountToken?.uuidString ?? applicationUsername)
    }

    /// Whether what is signed is what `payment` asked for.
    func answers(_ payment: PaymentRequest) -> Bool {
      // What is delivered once more bears the token it was first bought with.
      transaction.productID == payment.productID && transaction.quantity == payment.quantity
        && (isRedelivered || appAccountToken == payment.applicationUsername.flatMap(UUID.init(uuidString:)))
    }
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

  /// Binds the journal to the store that greeted it: to its roots for good, and to its epoch until it begins another.
  ///
  /// In another epoch, what happened in the store is heard from the epoch's beginning. Confirmations that are under way
  /// stay under way: a store that was restored may hold their charge, and one that was reset says that it does not.
  ///
  /// - Returns: whether the store has begun another epoch since the last contact.
  /// - Throws: ``StoreKitDeviceError/storeRootChanged`` if the store's roots are not those of the first contact.
  func adopt(epoch: StoreEpoch, rootFingerprints: [String], changeCursor: ChangeCursor) throws -> Bool {
    let rootFingerprint = rootFingerprints.joined(separator: " ")
    return try database.write { database in
      guard var installation = try InstallationRow.fetchOne(database) else { return false }
      let isFirstContact = installation.epoch == nil
      guard isFirstContact || installation.rootFingerprint == rootFingerprint else {
        throw StoreKitDeviceError.storeRootChanged
      }
      if installation.epoch == epoch, installation.changeCursor != nil { return false }
      let isAnotherEpoch = !isFirstContact && installation.epoch != epoch
      installation.changeCursor = changeCursor
      installation.epoch = epoch
      // The clock of this store, or of this life of it, may be behind: its receipts count from here on.
      if isAnotherEpoch { installation.receiptDate = nil }
      installation.rootFingerprint = rootFingerprint
      try installation.update(database)
      return isAnotherEpoch
    }
  }

  /// The fingerprints of the roots this journal is bound to; none before the first contact.
  func rootFingerprints() throws -> [String] {
    let text = try database.read { try String.fetchOne($0, sql: "SELECT rootFingerprint FROM installation") }
    return text?.split(separator: " ").map(String.init) ?? []
  }

  /// How far this installation has heard what happens in the store; nil before the first contact.
  func changeCursor() throws -> ChangeCursor? {
    try database.read { try Int64.fetchOne($0, sql: "SELECT changeCursor FROM installation") }
      .map(ChangeCursor.init(rawValue:))
  }

  /// Records that everything up to `cursor` was heeded, with the payments that came of it, in one commit.
  ///
  /// - Returns: the entries of those payments.
  func advance(to cursor: ChangeCursor, adding payments: [PaymentRequest]) throws -> [QueueEntry] {
    try database.write { database in
      try database.cachedStatement(sql: "UPDATE installation SET changeCursor = ?").execute(
        arguments: [cursor.rawValue])
      return try payments.map { payment in
        var row = EntryRow(payment: payment, paymentID: payment.paymentID, state: .added)
        try row.insert(database)
        return try row.entry
      }
    }
  }

  /// Stores a receipt that came without transactions.
  func keep(_ receipt: VerifiedReceipt) throws { try write(receipt) { _ in } }

  /// The latest made app receipt that has come.
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
        table.column("bundleID", .text).notNull()
        table.column("environment", .text).notNull()
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
    migrator.registerMigration("2 changes and promotions") { database in
      try database.alter(table: "installation") { table in
        table.add(column: "changeCursor", .integer)
        table.add(column: "receiptDate", .integer)
      }
      try database.create(table: "promotedProduct") { table in
        table.primaryKey("productID", .text)
        table.column("visibility", .integer)
        table.column("position", .integer)
      }
    }
    return migrator
  }
}
