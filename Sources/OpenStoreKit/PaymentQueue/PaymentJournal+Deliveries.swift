import Foundation
import GRDB
import StoreModel

// What the store delivers: answers to payments, unfinished and restored transactions, each with a receipt.
extension PaymentJournal {
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
  ///   - sent: the transactions that were sent to iterators in this launch.
  /// - Returns: the entries to report to the app.
  func accept(
    unfinished arrivals: [Arrival], keeping transactions: [DeviceTransaction] = [],
    requestedBy account: AccountName? = nil, receipt: VerifiedReceipt?, awaited: Set<Int64> = [],
    announces: Bool = false, sent: Set<TransactionID> = []
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
        try announce(
          transactions, before: before, answered: answered, delivered: delivered, sent: sent, in: database)
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

  /// Stores a receipt that arrived without transactions.
  func keep(_ receipt: VerifiedReceipt) throws { try write(receipt) { _ in } }

  /// The newest app receipt; nil if none has arrived.
  func receipt() throws -> Data? {
    try database.read { try Data.fetchOne($0, sql: "SELECT receipt FROM installation") }
  }
}
