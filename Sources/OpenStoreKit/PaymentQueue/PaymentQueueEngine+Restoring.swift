import Foundation
import StoreModel

extension PaymentQueueEngine {
  /// Brings back what the customer owns, each as a transaction of its own, and tells how that ended.
  ///
  /// What has come stays, also where the rest does not come. It is not taken up again by itself: the customer who was told
  /// that it failed begins it again.
  func restore(applicationUsername: String?) {
    guard !isRestoring else {
      return listener.restoreEnded(
        PaymentFailure(
          .unknown, "Purchases are being restored already.",
          underlying: "restoreCompletedTransactions was called while an earlier call was under way."
        ).error)
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
    // First, what was finished here: the store leaves out what it takes to be in the queue still.
    guard try await sendFinishes() else {
      throw StoreRefusal(.temporarilyUnavailable, "What was finished could not be told to the store yet.")
    }
    var cursor: RestoreCursor?
    var problem: (any Error)?
    repeat {
      let asked = journal.receiptOrder.requestBegins()
      let page = try await session.restoredPage(after: cursor, applicationUsername: applicationUsername)
      // Whoever closed the device meanwhile has nobody to tell.
      if isStopped { throw CancellationError() }
      let verified = try await session.verify(page.batch, askedAt: asked)
      let changed = try journal.accept(
        restored: verified.arrivals.filter(\.isRedelivered), receipt: verified.receipt)
      if verified.receipt != nil { try publishReceipt() }
      if !changed.isEmpty { listener.updated(changed) }
      // What cannot be believed must not keep what can be from the app; but it was not a whole restore then.
      problem = problem ?? verified.problems.first
      guard page.next.map({ next in cursor.map { $0.after < next.after } ?? true }) ?? true else {
        throw StoreKitDeviceError.deliveryMismatch("a page of restored purchases that had come before")
      }
      cursor = page.next
    } while cursor != nil
    if let problem { throw problem }
  }
}
