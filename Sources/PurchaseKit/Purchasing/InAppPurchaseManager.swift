import StoreKit

/// Sells an app's products: asks for prices, adds payments, gives what was paid for, and only then finishes.
///
/// ```swift
/// let credits = CreditManager(store: try SQLiteCreditStore(at: file), creditsForProduct: ["…consume5credits": 5])
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
  /// Where a notification has its error.
  public static let errorKey = "error"

  /// Makes the request for products; the default asks the store of the default queue.
  public typealias MakeProductsRequest = @Sendable (Set<String>) -> SKProductsRequest

  private let queue: SKPaymentQueue
  private let deliveries: [any ProductDelivery]
  private let notifications: NotificationCenter
  private let makeProductsRequest: MakeProductsRequest
  private let paymentsAllowed: @Sendable () -> Bool
  private let deliveriesUnderWay = DeliveriesUnderWay()
  private let purchases = PendingPurchases()
  private let catalog = FetchedProducts()
  private lazy var observer = CustomPaymentObserver(manager: self)

  /// - Parameters:
  ///   - deliveries: who gives which products.
  ///   - queue: where payments are added.
  ///   - notifications: where notifications are posted.
  ///   - makeProductsRequest: makes the request for products; the default asks the store of the default queue.
  ///   - paymentsAllowed: whether the device may buy.
  public init(
    deliveries: [any ProductDelivery], queue: SKPaymentQueue = .default(),
    notifications: NotificationCenter = .default,
    makeProductsRequest: @escaping MakeProductsRequest = { SKProductsRequest(productIdentifiers: $0) },
    paymentsAllowed: @escaping @Sendable () -> Bool = { SKPaymentQueue.canMakePayments() }
  ) {
    self.deliveries = deliveries
    self.queue = queue
    self.notifications = notifications
    self.makeProductsRequest = makeProductsRequest
    self.paymentsAllowed = paymentsAllowed
    super.init()
  }

  /// Whether a payment for the product is under way.
  public func isPurchasing(_ productIdentifier: String) -> Bool {
    purchases.contains(productIdentifier)
      || queue.transactions.contains {
        $0.transactionState == .purchasing && $0.payment.productIdentifier == productIdentifier
      }
  }

  /// Attaches to the queue. To be called once at launch, when everything that gives goods is ready: what was paid for
  /// and not yet given is delivered now.
  public func start() {
    purchases.start()
    queue.add(observer)
  }

  /// Detaches from the queue. Whoever waits for a purchase is told ``InAppPurchaseError/stopped``; the purchase itself goes
  /// on.
  public func stop() {
    queue.remove(observer)
    purchases.stop()
  }

  /// Whether this device may buy. The buttons of an app are disabled where it may not.
  public var canMakePayments: Bool { paymentsAllowed() }

  // MARK: Products

  /// The products fetched so far, by identifier.
  public var fetchedProducts: [String: SKProduct] { catalog.products }

  /// The identifiers the store called invalid so far.
  public var invalidProductIdentifiers: Set<String> { catalog.invalid }

  /// Asks the store for products; the answer comes as a notification.
  public func requestProductData(_ productIdentifiers: Set<String>) {
    // A failure is told by notification as well; nobody waits here to be thrown at.
    Task { _ = try? await products(productIdentifiers) }
  }

  /// Asks the store for products. The same is told by notification.
  ///
  /// - Returns: the products the store knows, by identifier. The others are in ``invalidProductIdentifiers``.
  /// - Throws: the request's error, in `NSURLErrorDomain` where the network failed.
  @discardableResult
  public func products(_ productIdentifiers: Set<String>) async throws -> [SKProduct] {
    do {
      let answer = try await ProductFetch(makeProductsRequest(productIdentifiers)).answer()
      catalog.keep(answer)
      await post(.InAppPurchaseManagerProductsFetchedNotification)
      return answer.products.sorted { $0.productIdentifier < $1.productIdentifier }
    } catch {
      await post(.InAppPurchaseManagerRequestFailedNotification, error)
      throw error
    }
  }

  // MARK: Buying

  /// Adds a payment; the outcome comes as a notification.
  ///
  /// - Parameter quantity: 1 to 10.
  /// - Throws: ``InAppPurchaseError/quantityOutOfRange(_:)`` or ``InAppPurchaseError/notStarted``.
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
  /// - Throws: the transaction's error (see ``Swift/Error/isPaymentCancellation``), or what kept the product from being
  ///   given: the transaction is then kept and comes again.
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

  private func payment(for product: SKProduct, quantity: Int) throws(InAppPurchaseError) -> SKMutablePayment {
    guard (1...10).contains(quantity) else { throw .quantityOutOfRange(quantity) }
    let payment = SKMutablePayment(product: product)
    payment.quantity = quantity
    return payment
  }

  // MARK: What the queue says

  func began(_ transaction: SKPaymentTransaction) { purchases.began(transaction) }

  /// Gives what was paid for, and finishes the transaction if that succeeded.
  ///
  /// Giving may take a while; a transaction that is told of again meanwhile is already being given.
  func complete(_ transaction: SKPaymentTransaction) {
    guard deliveriesUnderWay.begin(transaction) else { return }
    // StoreKit's transactions may go anywhere (Apple declares them Sendable); it is only finished on the main queue.
    Task {
      let result: Result<PaidPurchase, any Error>
      do {
        result = .success(try await deliver(transaction))
      } catch {
        result = .failure(error)
      }
      DispatchQueue.main.async { self.delivered(transaction, result) }
    }
  }

  private func deliver(_ transaction: SKPaymentTransaction) async throws -> PaidPurchase {
    let identifier = transaction.payment.productIdentifier
    guard let purchase = PaidPurchase(transaction) else {
      throw InAppPurchaseError.incompleteTransaction(productIdentifier: identifier)
    }
    guard let delivery = deliveries.first(where: { $0.handles(identifier) }) else {
      throw InAppPurchaseError.unknownProduct(identifier)
    }
    try await delivery.deliver(purchase)
    return purchase
  }

  private func delivered(_ transaction: SKPaymentTransaction, _ result: Result<PaidPurchase, any Error>) {
    deliveriesUnderWay.end(transaction)
    // Before screens are told, so that their buttons are free again; before whoever waits, who may buy again at once.
    let waiting = purchases.take(transaction)
    switch result {
    case .success:
      queue.finishTransaction(transaction)
      post(.InAppPurchaseManagerTransactionSucceededNotification, transaction)
    case .failure(let error):
      // Not finished: it comes again at the next launch, to this version of the app or a later one.
      post(.InAppPurchaseManagerTransactionKeptNotification, transaction, error)
    }
    waiting?.resume(with: result)
  }

  /// A failed transaction is finished too, or it comes again.
  func fail(_ transaction: SKPaymentTransaction) {
    let waiting = purchases.take(transaction)
    queue.finishTransaction(transaction)
    post(.InAppPurchaseManagerTransactionFailedNotification, transaction)
    waiting?.resume(throwing: transaction.error ?? SKError(.unknown))
  }

  @MainActor
  private func post(_ name: Notification.Name, _ error: (any Error)? = nil) {
    notifications.post(name: name, object: self, userInfo: error.map { [Self.errorKey: $0] })
  }

  private func post(_ name: Notification.Name, _ transaction: SKPaymentTransaction, _ error: (any Error)? = nil) {
    var userInfo: [String: Any] = [Self.transactionKey: transaction]
    if let error { userInfo[Self.errorKey] = error }
    notifications.post(name: name, object: self, userInfo: userInfo)
  }
}
