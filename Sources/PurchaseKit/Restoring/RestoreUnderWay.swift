import Foundation
import StoreKit

/// The restore that is under way: what has come of it, and who waits for its end.
///
/// It is over when StoreKit has told its end and everything it brought was given or kept.
final class RestoreUnderWay: @unchecked Sendable {
  typealias Continuation = CheckedContinuation<RestoredPurchases, any Error>

  /// What is to be told once it is over.
  struct End {
    let result: Result<RestoredPurchases, any Error>
    let waiting: Continuation?
  }

  private struct Run {
    var waiting: Continuation?
    var pending: [SKPaymentTransaction] = []
    var given: [PaidPurchase] = []
    var kept: [String] = []
    var refused: [String] = []
    /// Set once StoreKit has told the end.
    var end: Result<Void, any Error>?
  }

  private let lock = NSLock()
  private var run: Run?

  var isUnderWay: Bool { lock.withLock { run != nil } }

  /// False if one is under way already.
  func begin(_ waiting: Continuation?) -> Bool {
    lock.withLock {
      guard run == nil else { return false }
      run = Run(waiting: waiting)
      return true
    }
  }

  /// Something was brought back, and is to be given. Told again meanwhile, as when the app comes to the foreground, it is
  /// still one.
  func arrived(_ transaction: SKPaymentTransaction) {
    lock.withLock {
      if run?.pending.contains(where: { $0 === transaction }) == false { run?.pending.append(transaction) }
    }
  }

  /// What became of it.
  func delivered(_ transaction: SKPaymentTransaction, _ result: Result<PaidPurchase, any Error>) -> End? {
    lock.withLock {
      guard let index = run?.pending.firstIndex(where: { $0 === transaction }) else { return nil }
      run?.pending.remove(at: index)
      switch result {
      case .success(let purchase):
        let isKnown = run?.given.contains {
          $0.originalTransactionIdentifier == purchase.originalTransactionIdentifier
        }
        if isKnown == false { run?.given.append(purchase) }
      case .failure(is RefusedPurchase):
        run?.refused.append(transaction.restoredProductIdentifier)
      case .failure:
        run?.kept.append(transaction.restoredProductIdentifier)
      }
      return takeEnd()
    }
  }

  /// StoreKit has told the end.
  func ended(_ error: (any Error)?) -> End? {
    lock.withLock {
      run?.end = error.map(Result.failure) ?? .success(())
      return takeEnd()
    }
  }

  /// Whoever waits is not interested any more. The restore goes on, and its end is told by notification.
  func stopWaiting() {
    let waiting = lock.withLock {
      defer { run?.waiting = nil }
      return run?.waiting
    }
    waiting?.resume(throwing: CancellationError())
  }

  /// Nobody listens any more.
  func abandon(_ error: any Error) -> End? {
    lock.withLock {
      defer { run = nil }
      return run.map { End(result: .failure(error), waiting: $0.waiting) }
    }
  }

  private func takeEnd() -> End? {
    guard let run, let end = run.end, run.pending.isEmpty else { return nil }
    self.run = nil
    let purchases = RestoredPurchases(
      given: run.given, keptProductIdentifiers: run.kept, refusedProductIdentifiers: run.refused)
    return End(result: end.map { purchases }, waiting: run.waiting)
  }
}
