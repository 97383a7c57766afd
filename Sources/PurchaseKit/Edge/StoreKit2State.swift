import StoreKit

/// What a ``StoreKit2Edge`` knows about the transactions of this run, behind one lock. It only decides.
struct StoreKit2State: Sendable {
  /// A paid transaction that was reported and not finished.
  struct Paid: Sendable {
    let transaction: Transaction
    let value: StoreTransaction
  }

  /// The content of a transaction, without its signature. A transaction that was finished is handled again only if its
  /// content has changed, for instance by a refund.
  private struct Content: Hashable, Sendable {
    let revocationDate: Date?
    let share: Int?
    let expirationDate: Date?
    let isUpgraded: Bool

    init(_ transaction: Transaction) {
      revocationDate = transaction.revocationDate
      share = transaction.refundedShare
      expirationDate = transaction.expirationDate
      isUpgraded = transaction.isUpgraded
    }
  }

  /// The transactions that are purchasing, oldest first. A deferred one is not among them: StoreKit 2 does not report a
  /// declined approval. The device knows those that still wait: ``StoreKit2Calls/openPayments``.
  private(set) var open: [StoreTransaction] = []
  private var paid: [StoreTransaction.ID: Paid] = [:]
  private var ids: [UInt64: StoreTransaction.ID] = [:]
  /// What was last finished, or revoked, of a transaction in this run. Only the last: a reversed refund has the content of
  /// the purchase again.
  private var handled: [UInt64: Content] = [:]
  /// What was last reported of a transaction since ``began()``. Two sequences have the unfinished transactions of a launch.
  private var reported: [UInt64: Content] = [:]
  /// The ids of the payments (nil if the manager did not add one) of the open ones whose answer was not verified. They end
  /// with the genuine transaction of their product.
  private var unverified: [StoreTransaction.ID: UUID?] = [:]

  /// Begins to report transactions, also those that were reported before and are not finished.
  mutating func began() { reported = [:] }

  /// Adds a purchase that has begun.
  mutating func began(_ purchasing: StoreTransaction) { open.append(purchasing) }

  /// Removes a purchase that has failed, or waits for approval.
  mutating func ended(_ id: StoreTransaction.ID) { open.removeAll { $0.id == id } }

  /// Records that the answer to a purchase was not verified.
  mutating func unverified(_ id: StoreTransaction.ID, order: UUID?) { unverified[id] = .some(order) }

  /// Records the transaction that `purchase(options:)` has returned.
  mutating func bought(_ transaction: Transaction, jws: String, as id: StoreTransaction.ID) -> StoreTransaction {
    record(transaction, jws: jws, as: id)
  }

  /// Records a transaction that arrived outside of `purchase(options:)`.
  ///
  /// - Returns: its value, and the id of the payment whose answer was not verified before; nil if the same content was
  ///   reported already.
  mutating func arrived(_ transaction: Transaction, jws: String) -> (value: StoreTransaction, order: UUID?)? {
    let content = Content(transaction)
    guard handled[transaction.id] != content, reported[transaction.id] != content else { return nil }
    let waiting = open.first { unverified[$0.id] != nil && $0.productIdentifier == transaction.productID }
    let order = waiting.flatMap { unverified.removeValue(forKey: $0.id) } ?? nil
    let id = waiting?.id ?? ids[transaction.id] ?? StoreTransaction.ID()
    return (record(transaction, jws: jws, as: id), order)
  }

  private mutating func record(
    _ transaction: Transaction, jws: String, as id: StoreTransaction.ID
  ) -> StoreTransaction {
    let value = StoreTransaction(
      id: id, purchase: PaidPurchase(transaction, jws: jws, isRestored: false), state: .purchased)
    open.removeAll { $0.id == id }
    ids[transaction.id] = id
    reported[transaction.id] = Content(transaction)
    paid[id] = Paid(transaction: transaction, value: value)
    return value
  }

  /// Whether a revoked transaction has to be handled: not twice with the same content.
  func needsHandling(_ transaction: Transaction) -> Bool { handled[transaction.id] != Content(transaction) }

  /// Records that a revoked transaction was handled.
  ///
  /// - Returns: its value, if it was reported as paid in this run and not finished.
  mutating func revoked(_ transaction: Transaction) -> StoreTransaction? {
    handled[transaction.id] = Content(transaction)
    reported[transaction.id] = nil
    return ids.removeValue(forKey: transaction.id).flatMap { paid.removeValue(forKey: $0)?.value }
  }

  /// Removes a paid transaction that is about to be finished.
  ///
  /// - Returns: nil if it is not known, or was finished already.
  mutating func finish(_ id: StoreTransaction.ID) -> Paid? {
    guard let known = paid.removeValue(forKey: id) else { return nil }
    handled[known.transaction.id] = Content(known.transaction)
    if ids[known.transaction.id] == id { ids[known.transaction.id] = nil }
    return known
  }

  /// Returns the newest value of a transaction.
  func current(_ transaction: StoreTransaction) -> StoreTransaction { paid[transaction.id]?.value ?? transaction }
}

extension StoreTransaction {
  init(id: ID, purchase: PaidPurchase, state: State) {
    self.init(
      id: id, state: state, productIdentifier: purchase.productIdentifier, quantity: purchase.quantity,
      transactionIdentifier: purchase.transactionIdentifier, purchase: purchase)
  }
}
