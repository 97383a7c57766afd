import Foundation
import StoreModel

/// The queue of payments the store is to process. Implements Apple's `SKPaymentQueue`.
///
/// Payments and unfinished transactions survive the process: what was not finished is delivered again at the next
/// launch, once an observer is attached. Without an observer nothing is sent to the store. Observers are called on the
/// main queue.
open class SKPaymentQueue: NSObject, @unchecked Sendable {
  let board = QueueBoard()
  private let makeUUID: @Sendable () -> UUID
  private let engine: PaymentQueueEngine?
  /// Why there is no engine; its payments fail with this.
  private let reasonForNoEngine: any Error
  private let delivery: ObserverDelivery

  /// A queue without a store, for subclasses in a client's tests. Payments added to it fail.
  public required override init() {
    engine = nil
    reasonForNoEngine = StoreKitDeviceError.notConfigured
    makeUUID = { UUID() }
    delivery = ObserverDelivery(report: StoreKitDevice.writeToStandardError)
    super.init()
    delivery.queue = self
  }

  init(engine: PaymentQueueEngine, delivery: ObserverDelivery, makeUUID: @escaping @Sendable () -> UUID) {
    self.engine = engine
    self.delivery = delivery
    self.makeUUID = makeUUID
    reasonForNoEngine = StoreKitDeviceError.notConfigured
    super.init()
  }

  private init(failing error: any Error) {
    engine = nil
    reasonForNoEngine = error
    makeUUID = { UUID() }
    delivery = ObserverDelivery(report: StoreKitDevice.writeToStandardError)
    super.init()
    delivery.queue = self
  }

  // MARK: The shared queue

  /// The queue of the current device (``StoreKitDevice/current``).
  ///
  /// Where no device can be made, payments added to the queue fail with an error that says what to set.
  open class func `default`() -> Self {
    // A subclass that inherits this gets the shared queue, which is not one of its own; Apple's runtime hands it out
    // just the same.
    unsafeDowncast(shared, to: Self.self)
  }

  private static var shared: SKPaymentQueue {
    do {
      return try StoreKitDevice.resolved().paymentQueue
    } catch {
      return withoutDevice.queue(for: error)
    }
  }

  private static let withoutDevice = WithoutDevice()

  /// One queue for as long as there is no device, because observers are attached to it.
  private final class WithoutDevice: @unchecked Sendable {
    private let lock = NSLock()
    private var queue: SKPaymentQueue?

    func queue(for error: any Error) -> SKPaymentQueue {
      lock.withLock {
        if let queue { return queue }
        let made = SKPaymentQueue(failing: error)
        queue = made
        return made
      }
    }
  }

  /// Whether this device may buy. True where no device is configured: that is no restriction.
  open class func canMakePayments() -> Bool { StoreKitDevice.current?.paymentsAllowed ?? true }

  // MARK: Observers

  open func add(_ observer: any SKPaymentTransactionObserver) {
    if board.attach(observer) { engine?.send(.observerAdded(ObjectIdentifier(observer))) }
  }

  open func remove(_ observer: any SKPaymentTransactionObserver) {
    if board.detach(observer) { engine?.send(.lastObserverRemoved) }
  }

  open var transactionObservers: [any SKPaymentTransactionObserver] { board.observers }

  // MARK: Payments

  /// The unfinished transactions. Meaningful while an observer is attached.
  open var transactions: [SKPaymentTransaction] { board.transactions }

  /// Adds a payment; returns at once. The payment is copied.
  ///
  /// - Precondition: the product identifier is not empty and the quantity is at least 1. Apple's queue raises an
  ///   exception for these; here the process ends.
  open func add(_ payment: SKPayment) {
    precondition(!payment.productIdentifier.isEmpty, "SKPaymentQueue.add: the payment has no product identifier")
    precondition(payment.quantity >= 1, "SKPaymentQueue.add: the quantity must be at least 1")
    let request = PaymentRequest(
      paymentID: PaymentID(makeUUID().uuidString), productID: ProductID(payment.productIdentifier),
      quantity: payment.quantity, applicationUsername: payment.applicationUsername)
    if let engine {
      engine.send(.add(request))
    } else {
      let failure = PaymentFailure(.unknown, "Cannot connect to iTunes Store", underlying: "\(reasonForNoEngine)")
      delivery.failedUnwritten(request, failure)
    }
  }

  /// Takes a transaction out of the queue, the product having been given. Returns at once.
  ///
  /// Finishing twice, or a transaction of another queue, does nothing.
  ///
  /// - Precondition: the transaction is not `.purchasing`. Apple's queue raises an exception for that; here the
  ///   process ends.
  open func finishTransaction(_ transaction: SKPaymentTransaction) {
    guard let sequence = transaction.sequence, board.shows(transaction, as: sequence) else { return }
    precondition(
      transaction.transactionState != .purchasing,
      "SKPaymentQueue.finishTransaction: the transaction is still purchasing")
    // A negative number is in no journal: there is nothing to commit.
    if let engine, sequence > 0 { engine.send(.finish(sequence)) } else { delivery.removed([sequence]) }
  }
}
