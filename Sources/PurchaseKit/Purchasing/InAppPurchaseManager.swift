import StoreKit
import StoreModel

/// Sells an app's products: fetches prices, adds payments, delivers the products of paid transactions, and only then
/// finishes the transactions.
///
/// ```swift
/// let vault = try PurchaseVault(at: file, keys: SystemKeychain(), owner: owner)
/// let credits = CreditManager(store: VaultCreditStore(vault), creditsForProduct: ["…consume5credits": 5])
/// let manager = InAppPurchaseManager(deliveries: [credits])
/// manager.start()                                  // at launch: unfinished transactions are delivered now
/// let products = try await manager.products(["…consume5credits"])
/// try await manager.purchase(products[0])
/// ```
///
/// Screens may observe its notifications instead, which are posted on the main queue.
public final class InAppPurchaseManager: NSObject, Sendable {
  /// The key of a notification's ``StoreTransaction``.
  public static let transactionKey = "transaction"
  /// The key of a notification's ``StorePayment``.
  public static let paymentKey = "payment"
  /// The key of a notification's ``RestoredPurchases``.
  public static let restoredPurchasesKey = "restoredPurchases"
  /// The key of a notification's product identifiers.
  public static let productIdentifiersKey = "productIdentifiers"
  /// The key of a notification's error. It can be cast to `NSError`, on Linux too.
  public static let errorKey = "error"

  /// Makes the request for products; the default asks the store of the default queue.
  public typealias MakeProductsRequest = @Sendable (Set<String>) -> SKProductsRequest

  let edge: any StoreEdge
  let notifications: NotificationCenter
  let retry: any RetrySchedule
  let state: LockedValue<PurchasingState>
  let server: PurchaseServerClient?
  private let clock: any MachineClock
  private let watchers = LockedValue<[@Sendable (EdgeEvent) -> Void]>([])

  /// Makes a manager of StoreKit 1.
  ///
  /// - Parameters:
  ///   - deliveries: deliver the products; more can be added with ``register(_:)``.
  ///   - queue: receives the payments.
  ///   - notifications: posts the notifications.
  ///   - makeProductsRequest: makes a product request; the default asks the store of the default queue.
  ///   - paymentsAllowed: whether the device may buy. It is called each time, because that may change.
  ///   - retry: decides when a product request that failed is made again.
  ///   - server: the developer's server. Payments then carry its customer as `applicationUsername`, once the customer is known.
  ///   - clock: limits the time that a restore waits for the server.
  public convenience init(
    deliveries: [any ProductDelivery], queue: SKPaymentQueue = .default(),
    notifications: NotificationCenter = .default,
    makeProductsRequest: @escaping MakeProductsRequest = { SKProductsRequest(productIdentifiers: $0) },
    paymentsAllowed: @escaping @Sendable () -> Bool = { SKPaymentQueue.canMakePayments() },
    retry: any RetrySchedule = TimedRetry(.upToHalfAMinute), server: PurchaseServerClient? = nil,
    clock: any MachineClock = SystemClock()
  ) {
    self.init(
      deliveries: deliveries,
      edge: StoreKit1Edge(
        queue: queue, makeProductsRequest: makeProductsRequest, paymentsAllowed: paymentsAllowed),
      notifications: notifications, retry: retry, server: server, clock: clock)
  }

  /// Makes a manager of either StoreKit.
  ///
  /// - Parameters:
  ///   - deliveries: deliver the products; more can be added with ``register(_:)``.
  ///   - interface: the StoreKit that the purchases use. Both see the same purchases, so an app can change it with a new
  ///     version.
  ///   - notifications: posts the notifications.
  ///   - retry: decides when a product request that failed is made again, and with StoreKit 2 the report of a
  ///     revocation that a delivery could not record.
  ///   - server: the developer's server. Payments then carry its customer as `applicationUsername`, with StoreKit 2 as
  ///     `appAccountToken`, once the customer is known.
  ///   - clock: limits the time that a restore waits for the server.
  public convenience init(
    deliveries: [any ProductDelivery], interface: StoreInterface, notifications: NotificationCenter = .default,
    retry: any RetrySchedule = TimedRetry(.upToHalfAMinute), server: PurchaseServerClient? = nil,
    clock: any MachineClock = SystemClock()
  ) {
    switch interface {
    case .storeKit1:
      self.init(deliveries: deliveries, notifications: notifications, retry: retry, server: server, clock: clock)
    case .storeKit2:
      self.init(
        deliveries: deliveries, calls: .standard, notifications: notifications, retry: retry, server: server,
        clock: clock)
    }
  }

  /// Makes a manager of StoreKit 2 with these functions.
  package convenience init(
    deliveries: [any ProductDelivery], calls: StoreKit2Calls, notifications: NotificationCenter,
    retry: any RetrySchedule, server: PurchaseServerClient? = nil, clock: any MachineClock = SystemClock()
  ) {
    self.init(
      deliveries: deliveries, edge: StoreKit2Edge(calls: calls, retry: retry), notifications: notifications,
      retry: retry, server: server, clock: clock)
  }

  private init(
    deliveries: [any ProductDelivery], edge: any StoreEdge, notifications: NotificationCenter,
    retry: any RetrySchedule, server: PurchaseServerClient?, clock: any MachineClock
  ) {
    self.edge = edge
    self.notifications = notifications
    self.retry = retry
    self.server = server
    self.clock = clock
    state = LockedValue(PurchasingState(deliveries: deliveries))
    super.init()
  }

  deinit {
    state.withLock { $0.productRetryTask }?.cancel()
    edge.stop()
  }

  /// The StoreKit of this manager.
  public var interface: StoreInterface { edge.interface }

  /// Attaches to StoreKit. An app calls it once at launch, when its deliveries are ready: unfinished transactions are
  /// delivered now. From now on, product requests that fail are made again.
  public func start() {
    state.withLock { $0.isStarted = true }
    edge.start { [weak self] in
      self?.receive($0)
    } shouldAdd: { [weak self] in
      self?.shouldAdd($0) ?? false
    }
    advanceProductRetry { $0.start() }
    // Registers now, so that payments can carry the customer's id. A purchase that is made before the id is known
    // belongs to the customer who redeems it first.
    if server?.customer == nil { Task { await register() } }
  }

  /// Detaches from StoreKit. Tasks that wait for a purchase or a restore receive ``InAppPurchaseError/stopped``; the purchases
  /// themselves continue. Product requests that failed are no longer made again.
  public func stop() {
    edge.stop()
    let waiting = state.withLock { $0.stop() }
    for payment in waiting.payments { payment.continuation.resume(throwing: InAppPurchaseError.stopped) }
    if let restore = waiting.restore { Task { @MainActor in report(restore) } }
    advanceProductRetry { $0.stop() }
  }

  /// The maximum time that a restore waits for the installation's registration, in seconds.
  private static let longestRegistrationSeconds = 5

  /// Registers this installation at the server, or requests its customer, within a limited time. If the server does not
  /// answer in time, this function returns, and a later request registers the installation.
  func register() async {
    guard let server else { return }
    let (end, ended) = AsyncStream.makeStream(of: Void.self)
    // A task group would wait for the registration even after the time limit, because a registration that another
    // request has begun cannot be cancelled.
    Task {
      _ = try? await server.identify()
      ended.finish()
    }
    let timer = Task { [clock] in
      try? await clock.sleep(for: .seconds(Self.longestRegistrationSeconds))
      ended.finish()
    }
    for await _ in end {}
    timer.cancel()
  }

  /// Whether this device may buy. An app disables its buttons if it may not.
  public var canMakePayments: Bool { edge.canMakePayments }

  // MARK: Buying

  /// Adds a payment; a notification reports the outcome.
  ///
  /// - Parameter quantity: 1 to 10.
  /// - Throws: ``InAppPurchaseError/quantityOutOfRange(_:)``, ``InAppPurchaseError/cannotBeGiven(productIdentifier:reason:)`` or
  ///   ``InAppPurchaseError/notStarted``. Nothing is paid then.
  public func purchaseProduct(_ product: StoreProduct, quantity: Int = 1) throws(InAppPurchaseError) {
    try add(order(of: product, quantity: quantity), nil)
  }

  /// Buys, and waits until the product is delivered or the payment has failed. Notifications report the outcome as
  /// well.
  ///
  /// While the store does not answer, StoreKit repeats the request, and this function waits. Cancelling the task ends
  /// the waiting, not the payment: a paid product is delivered nevertheless. If the task is cancelled before the call,
  /// nothing is bought.
  ///
  /// - Returns: the purchase whose product was delivered.
  /// - Throws: the transaction's error (see ``Swift/Error/isPaymentCancellation``), or the error of the delivery. After
  ///   an error of the delivery, the transaction is kept and delivered again. Throws
  ///   ``InAppPurchaseError/waitingForApproval(productIdentifier:)`` if another person has to approve the payment. The
  ///   product is then delivered later.
  @discardableResult
  public func purchase(_ product: StoreProduct, quantity: Int = 1) async throws -> PaidPurchase {
    try Task.checkCancellation()
    let order = try order(of: product, quantity: quantity)
    let ticket = state.withLock { $0.makeTicket() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        do {
          try add(order, AddedPayments.Waiting(ticket: ticket, continuation: continuation))
          // The handler below may have run before the task waited.
          if Task.isCancelled { stopWaitingForPayment(ticket) }
        } catch {
          continuation.resume(throwing: error)
        }
      }
    } onCancel: {
      stopWaitingForPayment(ticket)
    }
  }

  private func add(_ order: PaymentOrder, _ waiting: AddedPayments.Waiting?) throws(InAppPurchaseError) {
    try state.withLock { state throws(InAppPurchaseError) in
      try state.add(order.id, of: order.product.productIdentifier, waiting: waiting)
    }
    edge.add(order)
  }

  private func stopWaitingForPayment(_ ticket: Int) {
    let waiting = state.withLock { $0.payments.stopWaiting(ticket) }
    waiting?.continuation.resume(throwing: CancellationError())
  }

  /// Why a product could not be delivered now; nil if it can.
  func obstacle(to productIdentifier: String) -> String? {
    delivery(of: productIdentifier)?.obstacle(to: productIdentifier)
  }

  private func order(of product: StoreProduct, quantity: Int) throws(InAppPurchaseError) -> PaymentOrder {
    guard (1...10).contains(quantity) else { throw .quantityOutOfRange(quantity) }
    if let reason = obstacle(to: product.productIdentifier) {
      throw .cannotBeGiven(productIdentifier: product.productIdentifier, reason: reason)
    }
    return PaymentOrder(
      id: UUID(), product: product, quantity: quantity, applicationUsername: server?.customer?.uuidString)
  }

  // MARK: Events of StoreKit

  /// Calls `body` with all later events of StoreKit, before the manager handles them.
  package func watch(_ body: @escaping @Sendable (EdgeEvent) -> Void) { watchers.withLock { $0.append(body) } }

  /// The transactions that are purchasing or deferred.
  package var openTransactions: [StoreTransaction] { edge.open }

  /// - Returns: the work that the event has begun, if StoreKit has to wait for it.
  private func receive(_ event: EdgeEvent) -> Task<Bool, Never>? {
    for watcher in watchers.value { watcher(event) }
    switch event {
    case .updated(let transaction, let order):
      if let order { state.withLock { $0.payments.bind(order, to: transaction) } }
      switch transaction.state {
      case .purchasing: break
      case .purchased: return fulfil(transaction)
      case .failed: fail(transaction)
      case .deferred: awaitApproval(transaction)
      case .restored: restored(transaction)
      }
    // A transaction that was finished, by the manager or by other code of the app.
    case .removed(let transaction): state.withLock { $0.fulfilments.remove(transaction) }
    case .revoked(let productIdentifiers, let isRetry): return revoked(productIdentifiers, isRetry: isRetry)
    case .restoreEnded(let error): restoreEnded(error)
    case .storefrontChanged: storefrontChanged()
    }
    return nil
  }

  /// Ends the waiting for a payment that needs another person's approval, which may take a day.
  ///
  /// The transaction is not finished: its final state arrives later.
  private func awaitApproval(_ transaction: StoreTransaction) {
    let waiting = state.withLock { $0.payments.remove(transaction) }
    post(.InAppPurchaseManagerTransactionDeferredNotification, transaction)
    waiting?.continuation.resume(
      throwing: InAppPurchaseError.waitingForApproval(productIdentifier: transaction.productIdentifier))
  }

  /// Finishes a failed transaction, so that it is not delivered again.
  private func fail(_ transaction: StoreTransaction) {
    let waiting = state.withLock { $0.payments.remove(transaction) }
    edge.finish(transaction)
    post(.InAppPurchaseManagerTransactionFailedNotification, transaction)
    waiting?.continuation.resume(throwing: transaction.error ?? SKError(.unknown))
  }

  func post(_ name: Notification.Name, _ transaction: StoreTransaction, _ error: (any Error)? = nil) {
    var userInfo: [String: Any] = [Self.transactionKey: transaction]
    if let error { userInfo[Self.errorKey] = error.castable }
    notifications.post(name: name, object: self, userInfo: userInfo)
  }
}
