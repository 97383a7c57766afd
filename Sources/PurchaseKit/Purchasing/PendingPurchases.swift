import StoreKit

/// Which added payment became which transaction, and who waits for it.
///
/// StoreKit does not say it, but it tells of each payment as `.purchasing` in the order of adding, and later of the same
/// object. So every payment the manager adds is kept here, and bound to the first transaction of its product and quantity
/// that begins after it was added; never to one that was in the queue before.
final class PendingPurchases: @unchecked Sendable {
  typealias Continuation = CheckedContinuation<PaidPurchase, any Error>

  private struct Added {
    let number: Int
    let productIdentifier: String
    let quantity: Int
    /// What was in the queue when it was added.
    let earlier: [SKPaymentTransaction]
    var continuation: Continuation?
    var transaction: SKPaymentTransaction?
  }

  private let lock = NSLock()
  private var added: [Added] = []
  private var lastNumber = 0
  private var isStarted = false

  /// Whether payments may be added: between start and stop.
  var isAccepting: Bool { lock.withLock { isStarted } }

  func start() { lock.withLock { isStarted = true } }

  func stop() {
    let waiting = lock.withLock {
      isStarted = false
      defer { added = [] }
      return added.compactMap(\.continuation)
    }
    for continuation in waiting { continuation.resume(throwing: InAppPurchaseError.stopped) }
  }

  /// Keeps a payment that is about to be added, and who waits for it.
  ///
  /// - Returns: a number to stop waiting with.
  func expect(
    _ payment: SKPayment, _ continuation: Continuation?, after earlier: [SKPaymentTransaction]
  ) throws(InAppPurchaseError) -> Int {
    lock.lock()
    defer { lock.unlock() }
    guard isStarted else { throw .notStarted }
    lastNumber += 1
    added.append(
      Added(
        number: lastNumber, productIdentifier: payment.productIdentifier, quantity: payment.quantity, earlier: earlier,
        continuation: continuation))
    return lastNumber
  }

  /// Whether a payment for the product was added and has no outcome yet.
  func contains(_ productIdentifier: String) -> Bool {
    lock.withLock { added.contains { $0.productIdentifier == productIdentifier } }
  }

  /// Tells whoever waits that they no longer do. The payment stays, so that its transaction is not taken for another's.
  func stopWaiting(for number: Int) {
    let continuation: Continuation? = lock.withLock {
      guard let index = added.firstIndex(where: { $0.number == number }) else { return nil }
      defer { added[index].continuation = nil }
      return added[index].continuation
    }
    continuation?.resume(throwing: CancellationError())
  }

  func began(_ transaction: SKPaymentTransaction) {
    lock.withLock {
      guard !added.contains(where: { $0.transaction === transaction }) else { return }
      if let index = firstUnbound(for: transaction) { added[index].transaction = transaction }
    }
  }

  /// Takes out the payment that became `transaction`, which has come to its end or waits for approval, and gives who waits
  /// for it.
  func take(_ transaction: SKPaymentTransaction) -> Continuation? {
    lock.withLock {
      let index =
        switch transaction.transactionState {
        // A payment that could not even be journalled fails without having begun.
        case .failed, .deferred: bound(to: transaction) ?? firstUnbound(for: transaction)
        default: bound(to: transaction)
        }
      return index.flatMap { added.remove(at: $0).continuation }
    }
  }

  private func bound(to transaction: SKPaymentTransaction) -> Int? {
    added.firstIndex { $0.transaction === transaction }
  }

  private func firstUnbound(for transaction: SKPaymentTransaction) -> Int? {
    let payment = transaction.payment
    return added.firstIndex {
      $0.transaction == nil && $0.productIdentifier == payment.productIdentifier && $0.quantity == payment.quantity
        && !$0.earlier.contains { $0 === transaction }
    }
  }
}

/// The number of a payment that is waited for, once there is one.
final class PurchaseTicket: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: Int?

  var number: Int? {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }
}
