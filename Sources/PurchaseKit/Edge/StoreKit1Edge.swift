import StoreKit
import StoreModel

/// Purchases by StoreKit 1: a payment queue, and its observer.
final class StoreKit1Edge: StoreEdge {
  private struct Receiver: Sendable {
    let receive: @Sendable (EdgeEvent) -> Task<Bool, Never>?
    let shouldAdd: @Sendable (StorePayment) -> Bool
  }

  let interface = StoreInterface.storeKit1
  private let queue: SKPaymentQueue
  private let makeProductsRequest: @Sendable (Set<String>) -> SKProductsRequest
  private let paymentsAllowed: @Sendable () -> Bool
  private let observer = CustomPaymentObserver()
  private let binding = LockedValue(StoreKit1Binding())
  private let receiver = LockedValue<Receiver?>(nil)

  init(
    queue: SKPaymentQueue, makeProductsRequest: @escaping @Sendable (Set<String>) -> SKProductsRequest,
    paymentsAllowed: @escaping @Sendable () -> Bool
  ) {
    self.queue = queue
    self.makeProductsRequest = makeProductsRequest
    self.paymentsAllowed = paymentsAllowed
    observer.edge = self
  }

  func start(
    _ receive: @escaping @Sendable (EdgeEvent) -> Task<Bool, Never>?,
    shouldAdd: @escaping @Sendable (StorePayment) -> Bool
  ) {
    receiver.value = Receiver(receive: receive, shouldAdd: shouldAdd)
    queue.add(observer)
  }

  func stop() {
    queue.remove(observer)
    binding.withLock { $0.removeAll() }
  }

  var canMakePayments: Bool { paymentsAllowed() }

  // MARK: Requests

  func products(_ identifiers: Set<String>) async throws -> (products: [StoreProduct], invalid: Set<String>) {
    let answer = try await ProductFetch(makeProductsRequest(identifiers)).answer()
    return (answer.products.map(StoreProduct.init), Set(answer.invalidProductIdentifiers))
  }

  func add(_ order: PaymentOrder) {
    let payment = order.product.skProduct.map { SKMutablePayment(product: $0) } ?? SKMutablePayment()
    payment.productIdentifier = order.product.productIdentifier
    payment.quantity = order.quantity
    payment.applicationUsername = order.applicationUsername
    add(payment, order.id)
  }

  func resume(_ payment: StorePayment, order: UUID) {
    // StoreKit requires the same object that the App Store sent.
    if let payment = payment.skPayment { add(payment, order) }
  }

  private func add(_ payment: SKPayment, _ order: UUID) {
    let earlier = queue.transactions
    binding.withLock { $0.add(order, payment, after: earlier) }
    queue.add(payment)
  }

  func finish(_ transaction: StoreTransaction) {
    if let transaction = transaction.skTransaction { queue.finishTransaction(transaction) }
  }

  func restore(applicationUsername: String?) {
    queue.restoreCompletedTransactions(withApplicationUsername: applicationUsername)
  }

  func current(_ transaction: StoreTransaction) -> StoreTransaction {
    transaction.skTransaction.flatMap(StoreTransaction.init) ?? transaction
  }

  var open: [StoreTransaction] {
    queue.transactions.filter { [.purchasing, .deferred].contains($0.transactionState) }
      .compactMap(StoreTransaction.init) + OpenPurchase.missing(in: queue).map(StoreTransaction.init)
  }

  // MARK: Callbacks of the observer

  func send(_ event: EdgeEvent) { _ = receiver.value?.receive(event) }

  func updated(_ transaction: SKPaymentTransaction) {
    // Without a value, the state is of a later StoreKit. The transaction stays in the queue for a version of the app that
    // handles the state.
    guard let value = StoreTransaction(transaction) else { return }
    let order = binding.withLock { $0.order(of: transaction) }
    send(.updated(value, order: order))
  }

  func removed(_ transaction: SKPaymentTransaction) {
    if let value = StoreTransaction(transaction) { send(.removed(value)) }
  }

  func shouldAdd(_ payment: SKPayment) -> Bool { receiver.value?.shouldAdd(StorePayment(payment)) ?? false }
}
