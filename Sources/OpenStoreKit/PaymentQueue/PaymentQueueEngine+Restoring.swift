import Foundation
import StoreModel

extension PaymentQueueEngine {
  /// Brings back what the customer owns, and tells how that ended.
  ///
  /// Consumables are never restored, and nothing else is sold yet: so what it does is to have the customer sign in and to
  /// fetch the receipt.
  func restore() {
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
        try await refreshReceipt()
      } catch {
        failure = StoreTrouble.appError(for: error)
      }
      isRestoring = false
      listener.restoreEnded(failure)
    }
  }
}
