import Foundation
import StoreModel

/// The queue of payments that the store processes. Implements Apple's `SKPaymentQueue`.
///
/// Payments and unfinished transactions survive the process: unfinished transactions are delivered again at the next
/// launch, once an observer is attached. Without an observer nothing is sent to the store. Observers are called on the
/// main queue.
open class SKPaymentQueue: NSObject, @unchecked Sendable {
  // Unchecked, because the class is open and its delegate is not Sendable. The delegate is called on the main queue.

  let state = QueueState()
  private let makeUUID: @Sendable () -> UUID
  let engine: PaymentQueueEngine?
  /// The reason why there is no engine. Nil if there is an engine, or if the queue was made for an app's tests.
  private let reasonForNoEngine: (any Error)?
  private let delivery: ObserverDelivery
  private let knownStorefront: KnownStorefront?
  /// The scope in which the observers and the delegate are called; nil for that of the process.
  let scope = LockedValue<DeviceScope?>(nil)

  /// Decides whether a payment continues if the storefront has changed since the customer confirmed it. Not retained.
  open weak var delegate: (any SKPaymentQueueDelegate)?

  /// A queue without a store, for subclasses in an app's tests. Payments added to it fail.
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
  /// If no device can be made, payments added to the queue fail with an error that describes what to set.
  ///
  /// - Precondition: it is not called on a subclass. The shared queue is not an instance of the subclass. Apple's
  ///   runtime returns it anyway; Swift cannot, so the process ends.
  open class func `default`() -> Self {
    // Making an instance of a subclass would need a required initializer, which every subclass in an app's tests would
    // have to repeat.
    guard let queue = shared as? Self else {
      preconditionFailure("\(self).default(): the shared queue has another class; make one with its initializer")
    }
    return queue
  }

  private static var shared: SKPaymentQueue {
    do {
      return try StoreKitDevice.resolved().paymentQueue
    } catch StoreKitDeviceError.isolationLost {
      // Not kept, because no later device may take its observers over.
      return SKPaymentQueue(failing: StoreKitDeviceError.isolationLost)
    } catch {
      return (DeviceScope.isolated ?? .process).queue.withLock { queue in
        if let queue { return queue }
        let made = SKPaymentQueue(failing: error)
        queue = made
        return made
      }
    }
  }

  /// Takes over the observers that were attached before there was a device. Called when this queue's device becomes the
  /// current one.
  func takeOverObservers(of scope: DeviceScope) {
    let earlier = scope.queue.withLock { earlier in
      defer { earlier = nil }
      return earlier
    }
    guard let earlier else { return }
    let observers = earlier.state.observers
    for observer in observers { earlier.state.detach(observer) }
    for observer in observers { add(observer) }
  }

  /// Whether purchases are allowed on this device. True if no device is configured, because only a configured device
  /// can restrict purchases.
  open class func canMakePayments() -> Bool { StoreKitDevice.current?.paymentsAllowed ?? true }

  // MARK: Observers

  open func add(_ observer: any SKPaymentTransactionObserver) {
    let earlier = state.transactions
    guard state.attach(observer) else { return }
    delivery.replay(earlier, to: ObjectIdentifier(observer))
    if let engine {
      engine.send(.observerAdded)
    } else if let reasonForNoEngine {
      delivery.report(.store("The observer is not notified, because there is no store. \(reasonForNoEngine)"))
    }
  }

  open func remove(_ observer: any SKPaymentTransactionObserver) {
    state.detach(observer)
  }

  open var transactionObservers: [any SKPaymentTransactionObserver] { state.observers }

  /// The storefront of the signed-in customer. Nil until this process has reached the store.
  open var storefront: SKStorefront? { (knownStorefront?.value).map(SKStorefront.init) }

  /// Requests the unfinished transactions from the store.
  func requestUnfinished() { engine?.send(.observerAdded) }

  /// Notifies all observers of unfinished transactions, and requests new ones. Called when the app returns to the
  /// foreground.
  func comeToForeground() {
    delivery.updateAll()
    requestUnfinished()
  }

  // MARK: Payments

  private static let longestText = 512

  /// The unfinished transactions. Valid while an observer is attached.
  open var transactions: [SKPaymentTransaction] { state.transactions }

  /// Adds a copy of a payment, and returns at once.
  ///
  /// - Precondition: the product identifier is not empty and the quantity is at least 1. Apple's queue raises an
  ///   exception otherwise; here the process ends.
  open func add(_ payment: SKPayment) {
    precondition(!payment.productIdentifier.isEmpty, "SKPaymentQueue.add: the payment has no product identifier")
    precondition(payment.quantity >= 1, "SKPaymentQueue.add: the quantity must be at least 1")
    let request = request(for: payment)
    let discount = payment.paymentDiscount
    let text = [
      payment.productIdentifier, payment.applicationUsername ?? "", discount?.identifier ?? "",
      discount?.keyIdentifier ?? "", discount?.signature ?? "",
    ]
    if text.contains(where: { $0.utf8.count > Self.longestText }) {
      // The store refuses such long texts. So the payment fails here and is not stored: in the queue it would block the
      // payments behind it.
      delivery.failedUnwritten(
        PaymentRequest(paymentID: request.paymentID, productID: "", quantity: request.quantity),
        PaymentFailure(
          .paymentInvalid,
          "Product identifier, application username and the texts of a discount are at most 512 bytes long."))
    } else if payment.requestData != nil {
      delivery.failedUnwritten(
        request, PaymentFailure(.unauthorizedRequestData, "The payment's requestData must be nil."))
    } else if payment.paymentDiscount?.isComplete == false {
      delivery.failedUnwritten(
        request,
        PaymentFailure(.missingOfferParams, "The payment's discount needs an identifier, a key and a signature."))
    } else if let failure = engine?.updates.device?.simulatedErrors.payment {
      delivery.failedUnwritten(request, failure)
    } else if !(engine?.send(.add(request)) ?? false) {
      let reason = engine == nil ? reasonForNoEngine ?? StoreKitDeviceError.notConfigured : StoreKitDeviceError.closed
      delivery.failedUnwritten(
        request, .noStore("\(reason)"))
    }
  }

  /// Makes the id of a payment. The queue makes those of all payments of a device, so that the same seed gives the same ids.
  final func makePaymentID() -> PaymentID { PaymentID(makeUUID().uuidString) }

  /// Returns a payment request for `payment`, with a new id.
  func request(for payment: SKPayment) -> PaymentRequest {
    PaymentRequest(
      paymentID: makePaymentID(), productID: ProductID(payment.productIdentifier),
      quantity: payment.quantity, applicationUsername: payment.applicationUsername,
      simulatesAskToBuyInSandbox: payment.simulatesAskToBuyInSandbox ? true : nil,
      offer: payment.paymentDiscount.map(PaymentOffer.init))
  }

  /// Removes a transaction from the queue after the app has granted the product. Returns at once.
  ///
  /// Finishing a transaction twice, or one of another queue, has no effect.
  ///
  /// - Precondition: the transaction is not `.purchasing`. Apple's queue raises an exception otherwise; here the
  ///   process ends.
  open func finishTransaction(_ transaction: SKPaymentTransaction) {
    guard let sequence = transaction.sequence, state.shows(transaction) else { return }
    precondition(
      transaction.transactionState != .purchasing,
      "SKPaymentQueue.finishTransaction: the transaction is still purchasing")
    guard transaction.transactionState != .deferred else {
      return delivery.report(
        .misuse("A deferred transaction was finished; it stays until it is approved or declined. Wait for that."))
    }
    // An entry with a negative number is not stored, so there is nothing to commit.
    if let engine, sequence > 0 { engine.send(.finish(sequence)) } else { delivery.removed([sequence]) }
  }

  // MARK: Restoring

  /// Restores the customer's finished purchases of restorable types, each as a new transaction, then notifies the
  /// observers that the restore has finished or failed. Returns at once.
  ///
  /// A second call during a restore is ignored and logged: the end of the running restore is reported once. Consumables
  /// are not restored.
  open func restoreCompletedTransactions() { restoreCompletedTransactions(withApplicationUsername: nil) }

  /// - Parameter username: the username to show in restored payments if the purchase has no username. It does not
  ///   select the purchases to restore, because Apple documents no such effect.
  open func restoreCompletedTransactions(withApplicationUsername username: String?) {
    guard engine?.send(.restore(applicationUsername: username)) != true else { return }
    let reason = engine == nil ? reasonForNoEngine ?? StoreKitDeviceError.notConfigured : StoreKitDeviceError.closed
    delivery.restoreEnded(
      PaymentFailure.noStore("\(reason)").error)
  }

  // MARK: Hosted content, which Apple no longer offers

  /// Fails the downloads, because Apple no longer hosts content. Observers are notified by
  /// `paymentQueue(_:updatedDownloads:)`.
  open func start(_ downloads: [SKDownload]) { delivery.end(downloads, as: .failed) }

  /// Has no effect, because no download is ever active.
  open func pause(_ downloads: [SKDownload]) {}

  /// Fails the downloads, as ``start(_:)-([SKDownload])`` does.
  open func resume(_ downloads: [SKDownload]) { delivery.end(downloads, as: .failed) }

  /// Cancels the downloads that have not ended. Observers are notified by `paymentQueue(_:updatedDownloads:)`.
  open func cancel(_ downloads: [SKDownload]) {
    delivery.end(downloads, as: .cancelled, passingOver: [.finished, .failed, .cancelled])
  }

  // MARK: Sheets that this implementation does not show

  /// Has no effect, because there is no sheet for price increases.
  open func showPriceConsentIfNeeded() {}

  /// Has no effect, because there is no sheet for offer codes.
  open func presentCodeRedemptionSheet() {}
}
