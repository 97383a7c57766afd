import Foundation
import StoreModel

/// Delivers the engine's changes to the observers, on the main queue and in order.
///
/// It uses only `DispatchQueue.main`, which all kinds of programs and tests on Linux drain, while run loops and timers
/// often do not run (Documentation/architecture.md, "Callbacks").
final class ObserverDelivery: QueueListener {
  private struct Target: Sendable {
    weak var queue: SKPaymentQueue?
  }

  private let target = LockedValue(Target())
  private let reportProblem: @Sendable (StoreKitProblem) -> Void

  init(report: @escaping @Sendable (StoreKitProblem) -> Void) { reportProblem = report }

  /// The queue whose observers are called. It is not retained. It is set once, before the engine sends anything.
  var queue: SKPaymentQueue? {
    get { target.withLock { $0.queue } }
    set { target.withLock { $0.queue = newValue } }
  }

  func failedUnwritten(_ payment: PaymentRequest, _ failure: PaymentFailure) {
    onMain { queue in
      self.updated([
        QueueEntry(sequence: queue.state.nextUnwritten(), payment: payment, state: .failed(failure))
      ])
    }
  }

  var hasObservers: Bool { queue?.state.observers.isEmpty == false }

  func updated(_ entries: [QueueEntry]) {
    guard !entries.isEmpty else { return }
    onMain { queue in
      let transactions = queue.state.post(entries)
      for observer in queue.state.observers { observer.paymentQueue(queue, updatedTransactions: transactions) }
    }
  }

  /// Notifies all observers of all transactions in the queue.
  func updateAll() {
    onMain { queue in
      let transactions = queue.state.transactions
      guard !transactions.isEmpty else { return }
      for observer in queue.state.observers { observer.paymentQueue(queue, updatedTransactions: transactions) }
    }
  }

  func removed(_ sequences: [Int64]) {
    onMain { queue in
      let transactions = queue.state.take(sequences)
      guard !transactions.isEmpty else { return }
      for observer in queue.state.observers { observer.paymentQueue(queue, removedTransactions: transactions) }
    }
  }

  func restoreEnded(_ error: (any Error)?) {
    onMain { queue in
      for observer in queue.state.observers {
        if let error {
          observer.paymentQueue(queue, restoreCompletedTransactionsFailedWithError: error)
        } else {
          observer.paymentQueueRestoreCompletedTransactionsFinished(queue)
        }
      }
    }
  }

  func storefrontChanged() {
    onMain { queue in
      for observer in queue.state.observers { observer.paymentQueueDidChangeStorefront(queue) }
    }
  }

  func revoked(_ products: [ProductID]) async {
    await askOnMain(otherwise: ()) { queue in
      for observer in queue.state.observers {
        observer.paymentQueue(queue, didRevokeEntitlementsForProductIdentifiers: products.map(\.rawValue))
      }
    }
  }

  func shouldAddStorePayment(for listing: ProductListing) async -> PaymentRequest? {
    await askOnMain(otherwise: nil) { queue in
      let product = SKProduct(listing)
      let payment = SKPayment(product: product)
      // All observers are asked, as they are all notified of every change.
      let answers = queue.state.observers.map {
        $0.paymentQueue(queue, shouldAddStorePayment: payment, for: product)
      }
      return answers.contains(true) ? queue.request(for: payment) : nil
    }
  }

  func shouldContinue(_ sequence: Int64, in storefront: Territory) async -> Bool {
    await withCheckedContinuation { continuation in
      let answer = OneAnswer(continuation)
      DispatchQueue.main.async { [weak queue] in
        guard let queue, let delegate = queue.delegate,
          let transaction = queue.state.transactions.first(where: { $0.sequence == sequence })
        else { return answer.give(true) }
        // If the delegate does not answer within about a second, the answer is no, as on Apple's platforms.
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.delegateSeconds) { answer.give(false) }
        DeviceScope.run(in: queue.scope.value) {
          answer.give(delegate.paymentQueue(queue, shouldContinue: transaction, in: SKStorefront(storefront)))
        }
      }
    }
  }

  private static let delegateSeconds = 1.0

  /// Resumes a task with the first answer. Later answers are ignored.
  private final class OneAnswer: Sendable {
    private let continuation: LockedValue<CheckedContinuation<Bool, Never>?>

    init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = LockedValue(continuation) }

    func give(_ answer: Bool) {
      let waiting = continuation.withLock { continuation in
        defer { continuation = nil }
        return continuation
      }
      waiting?.resume(returning: answer)
    }
  }

  /// Notifies a new observer of the `earlier` transactions that are still in the queue.
  ///
  /// - Parameter earlier: the transactions that were in the queue when the observer was added.
  func replay(_ earlier: [SKPaymentTransaction], to observer: ObjectIdentifier) {
    onMain { queue in
      let transactions = earlier.filter { queue.state.shows($0) }
      guard !transactions.isEmpty else { return }
      for candidate in queue.state.observers where ObjectIdentifier(candidate) == observer {
        candidate.paymentQueue(queue, updatedTransactions: transactions)
      }
    }
  }

  func report(_ problem: StoreKitProblem) { reportProblem(problem) }

  private func askOnMain<Answer: Sendable>(
    otherwise answer: Answer, _ ask: @escaping @Sendable (SKPaymentQueue) -> Answer
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { [weak queue] in
        continuation.resume(
          returning: queue.map { queue in DeviceScope.run(in: queue.scope.value) { ask(queue) } } ?? answer)
      }
    }
  }

  func onMain(_ work: @escaping @Sendable (SKPaymentQueue) -> Void) {
    DispatchQueue.main.async { [weak queue] in
      if let queue { DeviceScope.run(in: queue.scope.value) { work(queue) } }
    }
  }
}
