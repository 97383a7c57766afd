import Foundation

/// The state of an ``InAppPurchaseManager``, behind one lock.
///
/// Its functions only change this value. The manager calls StoreKit, the deliveries and the notification center
/// afterwards, and resumes waiting tasks, all without the lock.
struct PurchasingState: Sendable {
  /// Whether payments may be added: between ``InAppPurchaseManager/start()`` and ``InAppPurchaseManager/stop()``.
  var isStarted = false
  /// In the order of registration: the first delivery that handles a product delivers it.
  var deliveries: [any ProductDelivery]
  var payments = AddedPayments()
  var storePayments = PendingStorePayments()
  var fulfilments = Fulfilments()
  /// The restore under way.
  var restore: RestoreProgress?
  var products = FetchedProducts()
  var productRetry = ProductRetry()
  /// The task that waits before the next product request, or makes it.
  var productRetryTask: Task<Void, Never>?
  private var lastTicket = 0

  init(deliveries: [any ProductDelivery]) { self.deliveries = deliveries }

  /// Returns a number that identifies a waiting task. If the task is cancelled, this number selects the wait to end.
  mutating func makeTicket() -> Int {
    lastTicket += 1
    return lastTicket
  }

  /// Adds a payment that is about to go to StoreKit; see ``AddedPayments/add(_:of:waiting:)``.
  mutating func add(
    _ order: UUID, of productIdentifier: String, waiting: AddedPayments.Waiting? = nil
  ) throws(InAppPurchaseError) {
    guard isStarted else { throw .notStarted }
    payments.add(order, of: productIdentifier, waiting: waiting)
  }

  /// - Returns: the number of the restore.
  mutating func beginRestore(_ waiting: RestoreProgress.Waiting?) throws(InAppPurchaseError) -> Int {
    guard isStarted else { throw .notStarted }
    // StoreKit ignores a second restore during the first, or reports its failure through the same callback. The manager
    // could not distinguish that from the end of the first one.
    guard restore == nil else { throw .restoring }
    let number = makeTicket()
    restore = RestoreProgress(number: number, waiting: waiting)
    return number
  }

  /// Changes the running restore, and removes it if it has ended.
  mutating func advanceRestore(_ change: (inout RestoreProgress) -> Void) -> RestoreProgress.End? {
    guard var progress = restore else { return nil }
    change(&progress)
    restore = progress.end == nil ? progress : nil
    return progress.end
  }

  /// Refuses further payments, and ends the restore.
  ///
  /// - Returns: the tasks that wait for payments, and the end of the restore.
  mutating func stop() -> (payments: [AddedPayments.Waiting], restore: RestoreProgress.End?) {
    isStarted = false
    let end = restore.map { RestoreProgress.End(result: .failure(InAppPurchaseError.stopped), waiting: $0.waiting) }
    restore = nil
    return (payments.removeAll(), end)
  }
}

/// Payments that customers began in the App Store and that could not continue at once.
struct PendingStorePayments: Sendable {
  /// In the order in which they arrived.
  private(set) var all: [StorePayment] = []

  /// - Returns: false if the payment is in the list already.
  mutating func add(_ payment: StorePayment) -> Bool {
    guard !all.contains(payment) else { return false }
    all.append(payment)
    return true
  }

  /// - Returns: false if the payment is not in the list.
  mutating func remove(_ payment: StorePayment) -> Bool {
    guard let index = all.firstIndex(of: payment) else { return false }
    all.remove(at: index)
    return true
  }
}
