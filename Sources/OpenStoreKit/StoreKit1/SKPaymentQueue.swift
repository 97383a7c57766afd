import Foundation
import StoreModel

/// The queue of payments the store is to process. Implements Apple's `SKPaymentQueue`.
///
/// Payments and unfinished transactions survive the process: what was not finished is delivered again at the next
/// launch, once an observer is attached. Without an observer nothing is sent to the store. Observers are called on the
/// main queue.
open class SKPaymentQueue: NSObject, @unchecked Sendable {
  // Unchecked, because the class is open and its delegate is not Sendable. The delegate is called on the main queue.

  let board = QueueState()
  private let makeUUID: @Sendable () -> UUID
  private let engine: PaymentQueueEngine?
  /// Why there is no engine, where there should be one.
  private let reasonForNoEngine: (any Error)?
  private let delivery: ObserverDelivery
  private let knownStorefront: KnownStorefront?

  /// Asked whether a payment goes on when the storefront changes while it is under way. Not retained.
  open weak var delegate: (any SKPaymentQueueDelegate)?

  /// A queue without a store, for subclasses in a client's tests. Payments added to it fail.
  public override init() {
    engine = nil
    reasonForNoEngine = nil
    makeUUID = { UUID() }
    knownStorefront = nil
    delivery = ObserverDelivery(report: StoreKitDevice.writeToStandardError)
    super.init()
    delivery.queue = self
  }

  init(
    engine: PaymentQueueEngine, delivery: ObserverDelivery, storefront: KnownStorefront,
    makeUUID: @escaping @Sendable () -> UUID
  ) {
    self.engine = engine
    knownStorefront = storefront
    self.delivery = delivery
    self.makeUUID = makeUUID
    reasonForNoEngine = nil
    super.init()
  }

  private init(failing error: any Error) {
    engine = nil
    reasonForNoEngine = error
    knownStorefront = nil
    makeUUID = { UUID() }
    delivery = ObserverDelivery(report: StoreKitDevice.writeToStandardError)
    super.init()
    delivery.queue = self
  }

  // MARK: The shared queue

  /// The queue of the current device (``StoreKitDevice/current``).
  ///
  /// Where no device can be made, payments added to the queue fail with an error that says what to set.
  ///
  /// - Precondition: it is not asked of a subclass that inherits this. The shared queue is none of a subclass's own, and
  ///   Swift, unlike Apple's runtime, cannot pretend that it is; here the process ends.
  open class func `default`() -> Self {
    // Making one would need a required initializer, which every subclass in a client's tests would have to repeat.
    guard let queue = shared as? Self else {
      preconditionFailure("\(self).default(): the shared queue is not a \(self); make one with its initializer")
    }
    return queue
  }

  private static var shared: SKPaymentQueue {
    do {
      return try StoreKitDevice.resolved().paymentQueue
    } catch {
      return queueWithoutDevice.withLock { queue in
        if let queue { return queue }
        let made = SKPaymentQueue(failing: error)
        queue = made
        return made
      }
    }
  }

  /// The shared queue while there is no device. It is the same object each time, because observers are attached to it.
  private static let queueWithoutDevice = LockedValue<SKPaymentQueue?>(nil)

  /// Moves the observers that were attached before there was a device to the queue of the device.
  static func moveObservers(to queue: SKPaymentQueue) {
    let earlier = queueWithoutDevice.withLock { earlier in
      defer { earlier = nil }
      return earlier
    }
    guard let earlier else { return }
    let observers = earlier.board.observers
    for observer in observers { earlier.board.detach(observer) }
    for observer in observers { queue.add(observer) }
  }

  /// Whether this device may buy. True where no device is configured: that is no restriction.
  open class func canMakePayments() -> Bool { StoreKitDevice.current?.paymentsAllowed ?? true }

  // MARK: Observers

  open func add(_ observer: any SKPaymentTransactionObserver) {
    let earlier = board.transactions
    guard board.attach(observer) else { return }
    delivery.replay(earlier, to: ObjectIdentifier(observer))
    if let engine {
      engine.send(.observerAdded)
    } else if let reasonForNoEngine {
      delivery.report(.store("The observer hears nothing, because there is no store. \(reasonForNoEngine)"))
    }
  }

  open func remove(_ observer: any SKPaymentTransactionObserver) {
    board.detach(observer)
  }

  open var transactionObservers: [any SKPaymentTransactionObserver] { board.observers }

  /// The storefront of whoever is signed in. Nil until the store has been reached in this process.
  open var storefront: SKStorefront? { (knownStorefront?.value).map(SKStorefront.init) }

  /// Tells every observer again of what is unfinished, and looks for more: as when the app comes back to the foreground.
  func comeToForeground() {
    delivery.updateAll()
    engine?.send(.observerAdded)
  }

  // MARK: Payments

  private static let longestText = 512

  /// The unfinished transactions. Meaningful while an observer is attached.
  open var transactions: [SKPaymentTransaction] { board.transactions }

  /// Adds a payment; returns at once. The payment is copied.
  ///
  /// - Precondition: the product identifier is not empty and the quantity is at least 1. Apple's queue raises an
  ///   exception for these; here the process ends.
  open func add(_ payment: SKPayment) {
    precondition(!payment.productIdentifier.isEmpty, "SKPaymentQueue.add: the payment has no product identifier")
    precondition(payment.quantity >= 1, "SKPaymentQueue.add: the quantity must be at least 1")
    let request = request(for: payment)
    let text = [payment.productIdentifier, payment.applicationUsername ?? ""]
    if text.contains(where: { $0.utf8.count > Self.longestText }) {
      // The store would refuse it; a payment that cannot be forwarded must not stand before others.
      delivery.failedUnwritten(
        PaymentRequest(paymentID: request.paymentID, productID: "", quantity: request.quantity),
        PaymentFailure(.paymentInvalid, "Product identifier and application username are at most 512 bytes long."))
    } else if payment.requestData != nil {
      delivery.failedUnwritten(
        request, PaymentFailure(.unauthorizedRequestData, "The payment's requestData must be nil."))
    } else if payment.paymentDiscount != nil {
      delivery.failedUnwritten(
        request, PaymentFailure(.invalidOfferIdentifier, "Offers are for auto-renewable subscriptions only."))
    } else if !(engine?.send(.add(request)) ?? false) {
      let reason = engine == nil ? reasonForNoEngine ?? StoreKitDeviceError.notConfigured : StoreKitDeviceError.closed
      delivery.failedUnwritten(
        request, .noStore("\(reason)"))
    }
  }

  /// What is journalled for `payment`, under an id of its own.
  func request(for payment: SKPayment) -> PaymentRequest {
    PaymentRequest(
      paymentID: PaymentID(makeUUID().uuidString), productID: ProductID(payment.productIdentifier),
      quantity: payment.quantity, applicationUsername: payment.applicationUsername,
      simulatesAskToBuyInSandbox: payment.simulatesAskToBuyInSandbox ? true : nil)
  }

  /// Takes a transaction out of the queue, the product having been given. Returns at once.
  ///
  /// Finishing twice, or a transaction of another queue, does nothing.
  ///
  /// - Precondition: the transaction is not `.purchasing`. Apple's queue raises an exception for that; here the
  ///   process ends.
  open func finishTransaction(_ transaction: SKPaymentTransaction) {
    guard let sequence = transaction.sequence, board.shows(transaction) else { return }
    precondition(
      transaction.transactionState != .purchasing,
      "SKPaymentQueue.finishTransaction: the transaction is still purchasing")
    guard transaction.transactionState != .deferred else {
      return delivery.report(
        .misuse("A deferred transaction was finished; it stays until it is approved or declined. Wait for that."))
    }
    // A negative number is in no journal: there is nothing to commit.
    if let engine, sequence > 0 { engine.send(.finish(sequence)) } else { delivery.removed([sequence]) }
  }

  // MARK: Restoring

  /// Brings back the customer's finished purchases of restorable kinds, each as a new transaction; then tells observers
  /// that it has finished or failed. Returns at once.
  ///
  /// A second call while one is under way fails. Consumables never come.
  open func restoreCompletedTransactions() { restoreCompletedTransactions(withApplicationUsername: nil) }

  /// - Parameter username: what the payments were made with. It does not choose what is restored (Apple does not say that it
  ///   does); it is on the payments of restored transactions whose purchase had none.
  open func restoreCompletedTransactions(withApplicationUsername username: String?) {
    guard engine?.send(.restore(applicationUsername: username)) != true else { return }
    let reason = engine == nil ? reasonForNoEngine ?? StoreKitDeviceError.notConfigured : StoreKitDeviceError.closed
    delivery.restoreEnded(
      PaymentFailure.noStore("\(reason)").error)
  }

  // MARK: Hosted content, which Apple has withdrawn

  /// Fails: Apple hosts no content any more. Told through `paymentQueue(_:updatedDownloads:)`.
  open func start(_ downloads: [SKDownload]) { delivery.end(downloads, as: .failed) }

  /// Has no effect: nothing is under way.
  open func pause(_ downloads: [SKDownload]) {}

  /// Fails, as ``start(_:)-([SKDownload])`` does.
  open func resume(_ downloads: [SKDownload]) { delivery.end(downloads, as: .failed) }

  /// Cancels those that have not ended. Told through `paymentQueue(_:updatedDownloads:)`.
  open func cancel(_ downloads: [SKDownload]) {
    delivery.end(downloads, as: .cancelled, passingOver: [.finished, .failed, .cancelled])
  }

  // MARK: Sheets that are not shown here

  /// Has no effect: there is no sheet about a subscription's higher price.
  open func showPriceConsentIfNeeded() {}

  /// Has no effect: there is no sheet to enter an offer code on.
  open func presentCodeRedemptionSheet() {}
}
