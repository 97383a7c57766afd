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

  let queue: SKPaymentQueue
  private let deliveries: [any ProductDelivery]
  private let notifications: NotificationCenter
  let makeProductsRequest: MakeProductsRequest
  private let purchases = PendingPurchases()
  private let catalog = FetchedProducts()
  private lazy var observer = CustomPaymentObserver(manager: self)

  /// - Parameters:
  ///   - deliveries: who gives which products.
  ///   - queue: where payments are added.
  ///   - notifications: where notifications are posted.
  public init(
    deliveries: [any ProductDelivery], queue: SKPaymentQueue = .default(),
    notifications: NotificationCenter = .default,
    makeProductsRequest: @escaping MakeProductsRequest = { SKProductsRequest(productIdentifiers: $0) }
  ) {
    self.deliveries = deliveries
    self.queue = queue
    self.notifications = notifications
    self.makeProductsRequest = makeProductsRequest
    super.init()
  }

  /// Attaches to the queue. To be called once at launch, when everything that gives goods is ready: what was paid for
  /// and not yet given is delivered now.
  public func start() { queue.add(observer) }

  /// Detaches from the queue.
  public func stop() { queue.remove(observer) }

  /// Whether this device may buy. The buttons of an app are disabled where it may not.
  public var canMakePayments: Bool { type(of: queue).canMakePayments() }

  // MARK: Products

  /// The products fetched so far, by identifier.
  public var fetchedProducts: [String: SKProduct] { catalog.products }

  /// The identifiers the store called invalid so far.
  public var invalidProductIdentifiers: Set<String> { catalog.invalid }

  /// Asks the store for products; the answer comes as a notification.
  public func requestProductData(_ productIdentifiers: Set<String>) {
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
      notifications.post(name: .InAppPurchaseManagerProductsFetchedNotification, object: self)
      return answer.products.sorted { $0.productIdentifier < $1.productIdentifier }
    } catch {
      notifications.post(
        name: .InAppPurchaseManagerRequestFailedNotification, object: self, userInfo: [Self.errorKey: error])
      throw error
    }
  }

  // MARK: Buying

  /// Adds a payment; the outcome comes as a notification.
  ///
  /// - Parameter quantity: 1 to 10.
  /// - Throws: ``InAppPurchaseError/quantityOutOfRange(_:)``.
  public func purchaseProduct(_ product: SKProduct, quantity: Int = 1) throws(InAppPurchaseError) {
    queue.add(try payment(for: product, quantity: quantity))
  }

  /// Buys, and waits until the product is given or the payment has failed. The same is told by notification.
  ///
  /// Where the store does not answer, it waits for as long as the queue keeps asking; the payment also goes on when
  /// nobody waits for it any more.
  ///
  /// - Returns: what was paid for and given.
  /// - Throws: the transaction's error (see ``Swift/Error/isPaymentCancellation``), or what kept the product from being
  ///   given: the transaction is then kept and comes again.
  @discardableResult
  public func purchase(_ product: SKProduct, quantity: Int = 1) async throws -> PaidPurchase {
    let payment = try payment(for: product, quantity: quantity)
    return try await withCheckedThrowingContinuation { continuation in
      purchases.expect(productIdentifier: payment.productIdentifier, quantity: quantity, continuation)
      queue.add(payment)
    }
  }

  private func payment(for product: SKProduct, quantity: Int) throws(InAppPurchaseError) -> SKPayment {
    guard (1...10).contains(quantity) else { throw .quantityOutOfRange(quantity) }
    let payment = SKMutablePayment(product: product)
    payment.quantity = quantity
    return payment
  }

  // MARK: What the queue says

  func began(_ transaction: SKPaymentTransaction) { purchases.began(transaction) }

  /// Gives what was paid for, and finishes the transaction if that succeeded.
  func complete(_ transaction: SKPaymentTransaction) {
    let identifier = transaction.payment.productIdentifier
    do {
      guard let purchase = PaidPurchase(transaction) else {
        throw InAppPurchaseError.incompleteTransaction(productIdentifier: identifier)
      }
      guard let delivery = deliveries.first(where: { $0.handles(identifier) }) else {
        throw InAppPurchaseError.unknownProduct(identifier)
      }
      try delivery.deliver(purchase)
      queue.finishTransaction(transaction)
      post(.InAppPurchaseManagerTransactionSucceededNotification, transaction)
      purchases.resolve(transaction, with: .success(purchase))
    } catch {
      // Not finished: it comes again at the next launch, to this version of the app or a later one.
      post(.InAppPurchaseManagerTransactionKeptNotification, transaction, error)
      purchases.resolve(transaction, with: .failure(error))
    }
  }

  /// A failed transaction is finished too, or it comes again.
  func fail(_ transaction: SKPaymentTransaction) {
    queue.finishTransaction(transaction)
    post(.InAppPurchaseManagerTransactionFailedNotification, transaction)
    purchases.resolve(transaction, with: .failure(transaction.error ?? SKError(.unknown)))
  }

  private func post(_ name: Notification.Name, _ transaction: SKPaymentTransaction, _ error: (any Error)? = nil) {
    var userInfo: [String: Any] = [Self.transactionKey: transaction]
    if let error { userInfo[Self.errorKey] = error }
    notifications.post(name: name, object: self, userInfo: userInfo)
  }
}
