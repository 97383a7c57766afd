import Foundation
import StoreModel

/// Carries what the engine commits to the observers, on the main queue and in order.
///
/// `DispatchQueue.main` and nothing else: it is drained in every kind of program and test on Linux, while run loops and
/// timers often are not (Documentation/architecture.md, "Callbacks").
final class ObserverDelivery: QueueListener, @unchecked Sendable {
  // Set once, before the engine can have anything to say.
  weak var queue: SKPaymentQueue?
  private let reportProblem: @Sendable (StoreKitProblem) -> Void

  init(report: @escaping @Sendable (StoreKitProblem) -> Void) { reportProblem = report }

  func failedUnwritten(_ payment: PaymentRequest, _ failure: PaymentFailure) {
    onMain { queue in
      self.updated([
        QueueEntry(sequence: queue.board.nextUnwritten(), payment: payment, state: .failed(failure))
      ])
    }
  }

  var hasObservers: Bool { queue?.board.observers.isEmpty == false }

  func updated(_ entries: [QueueEntry]) {
    onMain { queue in
      let transactions = queue.board.post(entries)
      for observer in queue.board.observers { observer.paymentQueue(queue, updatedTransactions: transactions) }
    }
  }

  func removed(_ sequences: [Int64]) {
    onMain { queue in
      let transactions = queue.board.take(sequences)
      guard !transactions.isEmpty else { return }
      for observer in queue.board.observers { observer.paymentQueue(queue, removedTransactions: transactions) }
    }
  }

  /// Tells an observer that was just attached of what was in the queue before, as far as it still is.
  func replay(_ earlier: [SKPaymentTransaction], to observer: ObjectIdentifier) {
    onMain { queue in
      let transactions = earlier.filter { queue.board.shows($0) }
      guard !transactions.isEmpty else { return }
      for candidate in queue.board.observers where ObjectIdentifier(candidate) == observer {
        candidate.paymentQueue(queue, updatedTransactions: transactions)
      }
    }
  }

  func report(_ problem: StoreKitProblem) { reportProblem(problem) }

  private func onMain(_ work: @escaping @Sendable (SKPaymentQueue) -> Void) {
    DispatchQueue.main.async { [weak queue] in
      if let queue { work(queue) }
    }
  }
}
