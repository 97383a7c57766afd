import StoreKit

/// Sells an app's products: asks for prices, adds payments, gives what was paid for, and only then finishes.
///
/// ```swift
/// let vault = try PurchaseVault(at: file, keys: SystemKeychain(), owner: owner)
/// let credits = CreditManager(store: VaultCreditStore(vault), creditsForProduct: ["…consume5credits": 5])
/// let manager = InAppPurchaseManager(deliveries: [credits])
/// manager.start()                                  // at launch: what was paid for and not given comes now
/// let products = try await manager.products(["…consume5credits"])
/// try await manager.purchase(products[0])
/// ```
///
/// Screens may listen to its notifications instead, which are posted on the main queue.
public final class InAppPurchaseManager: NSObject, @unchecked Sendable {
  /// Where a notification has its `SKPaymentTransaction`.
  public static let transactionKey = "transaction"
  /// Where a notification has its `SKPayment`.
  public static let paymentKey = "payment"
  /// Where a notification has its ``RestoredPurchases``.
  public static let restoredPurchasesKey = "restoredPurchases"
  /// Where a notification has its product identifiers.
  public static let productIdentifiersKey = "productIdentifiers"
  /// Where a notification has its error.
  public static let errorKey = "error"

  /// Makes the request for products; the default asks the store of the default queue.
  public typealias MakeProductsRequest = @Sendable (Set<String>) -> SKProductsRequest

  let queue: SKPaymentQueue
  let notifications: NotificationCenter
  let makeProductsRequest: MakeProductsRequest
  let catalog = FetchedProducts()
  let retries: ProductRetryLine
  let purchases = PendingPurchases()
  let storePayments = PendingStorePayments()
  let restoring = RestoreUnderWay()
  let deliveries: RegisteredDeliveries
  let deliveriesUnderWay = DeliveriesUnderWay()
  let kept = KeptTransactions()
  private let paymentsAllowed: @Sendable () -> Bool
  private let server: PurchaseServerClient?
  private let observer = CustomPaymentObserver()

  /// - Parameters:
  ///   - deliveries: who gives which products; more can be added with ``register(_:)``.
  ///   - queue: where payments are added.
  ///   - notifications: where notifications are posted.
  ///   - makeProductsRequest: makes the request for products; the default asks the store of the default queue.
  ///   - paymentsAllowed: whether the device may buy; asked each time, because that may change.
  ///   - reachability: when a product request that failed is made again.
  ///   - server: the developer's server; payments then name its customer (`applicationUsername`), as far as it is known.
  public init(
    deliveries: [any ProductDelivery], queue: SKPaymentQueue = .default(),
    notifications: NotificationCenter = .default,
    makeProductsRequest: @escaping MakeProductsRequest = { SKProductsRequest(productIdentifiers: $0) },
    paymentsAllowed: @escaping @Sendable () -> Bool = { SKPaymentQueue.canMakePayments() },
    reachability: any Reachability = ExponentialBackoff(), server: PurchaseServerClient? = nil
  ) {
    self.server = server
    self.deliveries = RegisteredDeliveries(deliveries)
    self.queue = queue
    self.notifications = notifications
    self.makeProductsRequest = makeProductsRequest
    self.paymentsAllowed = paymentsAllowed
    retries = ProductRetryLine(reachability: reachability)
    super.init()
    observer.manager = self
    retries.ask = { [weak self] identifiers, turn in _ = try? await self?.answer(identifiers, turn: turn) }
  }

  /// Attaches to the queue. To be called once at launch, when everything that gives goods is ready: what was paid for
  /// and not yet given is delivered now. From now on, product requests that fail are made again by themselves.
  public func start() {
    purchases.start()
    queue.add(observer)
    retries.start()
    // So that payments can name the customer. Whoever buys before that is known is bound by the first redemption.
    if let server, server.customer == nil { Task { try? await server.identify() } }
  }

  /// Detaches from the queue. Whoever waits for a purchase or a restore is told ``InAppPurchaseError/stopped``; the purchase itself goes
  /// on. Product requests that failed are no longer made again.
  public func stop() {
    queue.remove(observer)
    purchases.stop()
    tell(restoring.abandon(InAppPurchaseError.stopped))
    retries.stop()
  }

  /// Whether this device may buy. The buttons of an app are disabled where it may not.
  public var canMakePayments: Bool { paymentsAllowed() }

  // MARK: Buying

  /// Adds a payment; the outcome comes as a notification.
  ///
  /// - Parameter quantity: 1 to 10.
  /// - Throws: ``InAppPurchaseError/quantityOutOfRange(_:)``, ``InAppPurchaseError/cannotBeGiven(productIdentifier:reason:)`` or
  ///   ``InAppPurchaseError/notStarted``. Nothing is paid then.
  public func purchaseProduct(_ product: SKProduct, quantity: Int = 1) throws(InAppPurchaseError) {
    let payment = try payment(for: product, quantity: quantity)
    _ = try purchases.expect(payment, nil, after: queue.transactions)
    queue.add(payment)
  }

  /// Buys, and waits until the product is given or the payment has failed. The same is told by notification.
  ///
  /// Where the store does not answer, it waits for as long as the queue keeps asking. Cancelling the task ends the waiting,
  /// not the payment: what is paid for is given all the same.
  ///
  /// - Returns: what was paid for and given.
  /// - Throws: the transaction's error (see ``Swift/Error/isPaymentCancellation``);
  ///   ``InAppPurchaseError/waitingForApproval(productIdentifier:)`` where somebody else has to approve it: the product is
  ///   given later; or what kept the product from being given: the transaction is then kept and comes again.
  @discardableResult
  public func purchase(_ product: SKProduct, quantity: Int = 1) async throws -> PaidPurchase {
    let payment = try payment(for: product, quantity: quantity)
    let ticket = PurchaseTicket()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        do {
          ticket.number = try purchases.expect(payment, continuation, after: queue.transactions)
          queue.add(payment)
          // Cancelled before there was a number to stop waiting with.
          if Task.isCancelled, let number = ticket.number { purchases.stopWaiting(for: number) }
        } catch {
          continuation.resume(throwing: error)
        }
      }
    } onCancel: {
      if let number = ticket.number { purchases.stopWaiting(for: number) }
    }
  }

  /// Why a product could not be given now; nil where it can be.
  func obstacle(to productIdentifier: String) -> String? {
    deliveries.delivery(of: productIdentifier)?.obstacle(to: productIdentifier)
  }

  private func payment(for product: SKProduct, quantity: Int) throws(InAppPurchaseError) -> SKMutablePayment {
    guard (1...10).contains(quantity) else { throw .quantityOutOfRange(quantity) }
    if let reason = obstacle(to: product.productIdentifier) {
      throw .cannotBeGiven(productIdentifier: product.productIdentifier, reason: reason)
    }
    let payment = SKMutablePayment(product: product)
    payment.quantity = quantity
    payment.applicationUsername = server?.customer?.uuidString
    return payment
  }

  // MARK: What the queue says

  func began(_ transaction: SKPaymentTransaction) { purchases.began(transaction) }

  /// Waits for somebody's approval. Nobody who waits for a purchase is kept waiting for that: it may take a day.
  ///
  /// The transaction is not finished: its final state is still to come.
  func awaitApproval(_ transaction: SKPaymentTransaction) {
    let waiting = purchases.take(transaction)
    post(.InAppPurchaseManagerTransactionDeferredNotification, transaction)
    waiting?.resume(
      throwing: InAppPurchaseError.waitingForApproval(productIdentifier: transaction.payment.productIdentifier))
  }

  /// A failed transaction is finished too, or it comes again.
  func fail(_ transaction: SKPaymentTransaction) {
    let waiting = purchases.take(transaction)
    queue.finishTransaction(transaction)
    post(.InAppPurchaseManagerTransactionFailedNotification, transaction)
    waiting?.resume(throwing: transaction.error ?? SKError(.unknown))
  }

  /// Somebody finished it, the manager or not: there is nothing left to give.
  func removed(_ transaction: SKPaymentTransaction) { kept.remove(transaction) }

  func post(_ name: Notification.Name, _ transaction: SKPaymentTransaction, _ error: (any Error)? = nil) {
    var userInfo: [String: Any] = [Self.transactionKey: transaction]
    if let error { userInfo[Self.errorKey] = error }
    notifications.post(name: name, object: self, userInfo: userInfo)
  }
}
