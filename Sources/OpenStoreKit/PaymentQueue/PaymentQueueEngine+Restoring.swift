import Foundation
import StoreModel

extension PaymentQueueEngine {
  /// Restores the customer's purchases, each as a separate transaction, and reports the end to the observers.
  ///
  /// If it fails, the transactions received so far stay in the queue. It is not retried, because the customer was
  /// notified of the failure and can start it again.
  ///
  /// A call during a restore has no effect and is logged, as public reports describe Apple's queue. The end of the running
  /// restore is the end for both callers. A failure would look to observers like that of the running restore.
  func restore(applicationUsername: String?) {
    guard !isRestoring else {
      return listener.report(
        .misuse("restoreCompletedTransactions was ignored, because an earlier call is still restoring purchases."))
    }
    isRestoring = true
    Task {
      var failure: (any Error)?
      do {
        try await restorePages(applicationUsername: applicationUsername)
      } catch {
        failure = StoreErrors.appError(for: error)
      }
      isRestoring = false
      listener.restoreEnded(failure)
    }
  }

  private func restorePages(applicationUsername: String?) async throws {
    // Finishes are sent first, because the store does not restore transactions that are still unfinished.
    guard try await sendFinishes() else {
      throw StoreRefusal(.temporarilyUnavailable, "The finished transactions could not be sent to the store yet.")
    }
    var cursor: RestoreCursor?
    var problem: (any Error)?
    repeat {
      let asked = journal.receiptOrder.requestBegins()
      let (page, account) = try await session.restoredPage(after: cursor, applicationUsername: applicationUsername)
      // The device was closed meanwhile, so there is no observer to report to.
      if isStopped { throw CancellationError() }
      let verified = try await session.verify(page.batch, askedAt: asked)
      let changed = try journal.accept(
        restored: verified.arrivals.filter(\.isRedelivered), keeping: verified.transactions, requestedBy: account,
        receipt: verified.receipt)
      if verified.receipt != nil { try publishReceipt() }
      show(changed)
      // Transactions that cannot be verified do not prevent the delivery of the others, but the restore then fails.
      problem = problem ?? verified.problems.first
      if let next = page.next {
        try StoreKitDeviceError.checkPage(endsAt: next.after, after: cursor?.after, "restored purchases")
      }
      cursor = page.next
    } while cursor != nil
    if let problem { throw problem }
  }
}
