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

  /// The transactions that are purchasing, oldest first. A deferred one is among them only if the device does not list its
  /// open payments (``StoreKit2Calls/openPayments``): StoreKit 2 does not report a declined approval.
  private(set) var open: [StoreTransaction] = []
  private var paid: [StoreTransaction.ID: Paid] = [:]
  private var ids: [UInt64: StoreTransaction.ID] = [:]
  /// What was last finished, or revoked, of a transaction in this run. Only the last: a reversed refund has the content of
  /// the purchase again.
  private var handled: [UInt64: Content] = [:]
  /// What was last reported of a transaction since ``began()``. Two sequences have the unfinished transactions of a launch.
  private var reported: [UInt64: Content] = [:]
  /// The unfinished transactions that arrived while a purchase of their product was under way. Each may be its outcome.
  private var held: [VerificationResult<Transaction>] = []
  /// The revoked transactions that are being handled, with the number of the session that does it.
  private var revocations: [UInt64: Int] = [:]
  /// The ids of the payments (nil if the manager did not add one) of the open ones whose answer was not verified. They end
  /// with the genuine transaction of their product.
  private var unverified: [StoreTransaction.ID: UUID?] = [:]

  /// Begins to report transactions, also those that were reported before and are not finished.
  mutating func began() { reported = [:] }

  /// Holds an unfinished transaction while a purchase of its product is under way.
  ///
  /// - Returns: false if none is.
  mutating func hold(_ result: VerificationResult<Transaction>) -> Bool {
    let product = result.unsafePayloadValue.productID
    let isBuying = open.contains {
      $0.state == .purchasing && $0.productIdentifier == product && unverified[$0.id] == nil
    }
    if isBuying { held.append(result) }
    return isBuying
  }

  /// Removes the transactions that were held.
  mutating func takeHeld() -> [VerificationResult<Transaction>] {
    defer { held = [] }
    return held
  }

  /// Adds a purchase that has begun.
  mutating func began(_ purchasing: StoreTransaction) { open.append(purchasing) }

  /// Removes a purchase that has failed, or that the device lists.
  mutating func ended(_ id: StoreTransaction.ID) { open.removeAll { $0.id == id } }

  /// Records that a purchase waits for approval, until a transaction of its product arrives.
  mutating func deferred(_ transaction: StoreTransaction) {
    ended(transaction.id)
    open.append(transaction)
  }

  /// Records that the answer to a purchase was not verified.
  mutating func unverified(_ id: StoreTransaction.ID, order: UUID?) { unverified[id] = .some(order) }

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
    return (bought(transaction, jws: jws, as: id), order)
  }

  /// Records the paid transaction of a purchase. StoreKit may return one that has arrived before: an unfinished consumable.
  mutating func bought(_ transaction: Transaction, jws: String, as id: StoreTransaction.ID) -> StoreTransaction {
    let value = StoreTransaction(
      id: id, purchase: PaidPurchase(transaction, jws: jws, isRestored: false), state: .purchased)
    open.removeAll {
      $0.id == id || $0.state == .deferred && $0.productIdentifier == transaction.productID
    }
    if let earlier = ids.updateValue(id, forKey: transaction.id), earlier != id { paid[earlier] = nil }
    reported[transaction.id] = Content(transaction)
    paid[id] = Paid(transaction: transaction, value: value)
    return value
  }

  /// Whether a transaction was finished with this content. If it arrives again, StoreKit has not recorded the finish.
  func isFinished(_ transaction: Transaction) -> Bool { handled[transaction.id] == Content(transaction) }

  /// Begins to handle a revoked transaction.
  ///
  /// - Returns: false if it was handled with the same content, or another sequence of the session has it, too.
  mutating func beginRevocation(_ transaction: Transaction, in session: Int) -> Bool {
    guard handled[transaction.id] != Content(transaction), revocations[transaction.id] != session else { return false }
    revocations[transaction.id] = session
    return true
  }

  /// Ends the handling of a revoked transaction, which may have to be handled again. A later session may have begun that.
  mutating func endRevocation(_ transaction: Transaction, in session: Int) {
    if revocations[transaction.id] == session { revocations[transaction.id] = nil }
  }

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
  init(_ payment: OpenPurchase) {
    self.init(
      state: payment.isDeferred ? .deferred : .purchasing, productIdentifier: payment.productIdentifier,
      quantity: payment.quantity)
  }

  init(id: ID, purchase: PaidPurchase, state: State) {
    self.init(
      id: id, state: state, productIdentifier: purchase.productIdentifier, quantity: purchase.quantity,
      transactionIdentifier: purchase.transactionIdentifier, purchase: purchase)
  }
}
