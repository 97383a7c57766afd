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
    let id: UInt64
    let revocationDate: Date?
    let share: Int?
    let expirationDate: Date?
    let isUpgraded: Bool

    init(_ transaction: Transaction) {
      id = transaction.id
      revocationDate = transaction.revocationDate
      share = transaction.refundedShare
      expirationDate = transaction.expirationDate
      isUpgraded = transaction.isUpgraded
    }
  }

  /// The transactions that are purchasing, oldest first. A deferred one is not open: StoreKit 2 does not report a
  /// declined approval, so it could stay open for ever.
  private(set) var open: [StoreTransaction] = []
  private var paid: [StoreTransaction.ID: Paid] = [:]
  private var ids: [UInt64: StoreTransaction.ID] = [:]
  /// What was finished, or revoked, in this run.
  private var handled: Set<Content> = []
  /// What was reported since ``began()``. Two sequences have the unfinished transactions of a launch.
  private var reported: Set<Content> = []

  /// Begins to report transactions, also those that were reported before and are not finished.
  mutating func began() { reported = [] }

  /// Adds a purchase that has begun.
  mutating func began(_ purchasing: StoreTransaction) { open.append(purchasing) }

  /// Removes a purchase that has failed, or waits for approval.
  mutating func ended(_ id: StoreTransaction.ID) { open.removeAll { $0.id == id } }

  /// Records the transaction that `purchase(options:)` has returned.
  mutating func bought(_ transaction: Transaction, jws: String, as id: StoreTransaction.ID) -> StoreTransaction {
    record(transaction, jws: jws, as: id)
  }

  /// Records a transaction that arrived outside of `purchase(options:)`.
  ///
  /// - Returns: nil if the same content was reported already.
  mutating func arrived(_ transaction: Transaction, jws: String) -> StoreTransaction? {
    let content = Content(transaction)
    guard !handled.contains(content), !reported.contains(content) else { return nil }
    return record(transaction, jws: jws, as: ids[transaction.id] ?? StoreTransaction.ID())
  }

  private mutating func record(
    _ transaction: Transaction, jws: String, as id: StoreTransaction.ID
  ) -> StoreTransaction {
    let value = StoreTransaction(
      id: id, purchase: PaidPurchase(transaction, jws: jws, isRestored: false), state: .purchased)
    open.removeAll { $0.id == id }
    ids[transaction.id] = id
    reported.insert(Content(transaction))
    paid[id] = Paid(transaction: transaction, value: value)
    return value
  }

  /// Whether a revoked transaction has to be handled: not twice with the same content.
  func needsHandling(_ transaction: Transaction) -> Bool { !handled.contains(Content(transaction)) }

  /// Records that a revoked transaction was handled.
  ///
  /// - Returns: its value, if it was reported as paid in this run and not finished.
  mutating func revoked(_ transaction: Transaction) -> StoreTransaction? {
    handled.insert(Content(transaction))
    return ids.removeValue(forKey: transaction.id).flatMap { paid.removeValue(forKey: $0)?.value }
  }

  /// Removes a paid transaction that is about to be finished.
  ///
  /// - Returns: nil if it is not known, or was finished already.
  mutating func finish(_ id: StoreTransaction.ID) -> Paid? {
    guard let known = paid.removeValue(forKey: id) else { return nil }
    handled.insert(Content(known.transaction))
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
