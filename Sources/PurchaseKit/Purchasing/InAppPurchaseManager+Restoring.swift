import Foundation
import StoreKit

extension InAppPurchaseManager {
  /// Whether purchases are being restored; the Restore button is disabled meanwhile.
  public var isRestoring: Bool { restoring.isUnderWay }

  /// Brings back what the customer owns and gives it again, and waits until that is done. The same is told by notification,
  /// so that a screen shows a message either way.
  ///
  /// It may be called at any time and any number of times. Where there is nothing to restore, the answer is empty; the
  /// customer is to be told.
  ///
  /// Cancelling the task ends the waiting, not the restoring.
  ///
  /// - Parameter applicationUsername: what the app calls its user; the same as for payments.
  /// - Throws: StoreKit's error; what had come before it was given all the same.
  ///   ``InAppPurchaseError/notStarted`` and ``InAppPurchaseError/restoring`` where it was not begun.
  @discardableResult
  public func restorePurchases(applicationUsername: String? = nil) async throws -> RestoredPurchases {
    let ticket = RestoreTicket()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        do {
          try beginRestoring(applicationUsername, continuation)
          ticket.isWaiting = true
          // Cancelled before there was anything to stop waiting for.
          if Task.isCancelled { restoring.stopWaiting() }
        } catch {
          continuation.resume(throwing: error)
        }
      }
    } onCancel: {
      if ticket.isWaiting { restoring.stopWaiting() }
    }
  }

  /// Begins to restore; the outcome comes as a notification.
  ///
  /// - Throws: ``InAppPurchaseError/notStarted`` or ``InAppPurchaseError/restoring``.
  public func restore(applicationUsername: String? = nil) throws(InAppPurchaseError) {
    try beginRestoring(applicationUsername, nil)
  }

  private func beginRestoring(
    _ applicationUsername: String?, _ waiting: RestoreUnderWay.Continuation?
  ) throws(InAppPurchaseError) {
    guard purchases.isAccepting else { throw .notStarted }
    // StoreKit would fail a second one, through the same callback as the first one's end.
    guard restoring.begin(waiting) else { throw .restoring }
    queue.restoreCompletedTransactions(withApplicationUsername: applicationUsername)
  }

  // MARK: What the queue says

  /// Gives what was brought back, and finishes it: at once where it is on record here.
  func restored(_ transaction: SKPaymentTransaction) {
    restoring.arrived(transaction)
    complete(transaction)
  }

  func restoreEnded(_ error: (any Error)?) { tell(restoring.ended(error)) }

  func tell(_ end: RestoreUnderWay.End?) {
    guard let end else { return }
    let result = end.result.flatMap { purchases in
      Result {
        if purchases.keptProductIdentifiers.isEmpty {
          for delivery in deliveries.all { try delivery.restoreFinished() }
        }
        return purchases
      }
    }
    switch result {
    case .success(let purchases):
      notifications.post(
        name: .InAppPurchaseManagerRestoreFinishedNotification, object: self,
        userInfo: [Self.restoredPurchasesKey: purchases])
    case .failure(let error):
      notifications.post(
        name: .InAppPurchaseManagerRestoreFailedNotification, object: self, userInfo: [Self.errorKey: error])
    }
    end.waiting?.resume(with: result)
  }

  /// The store took products back from the customer.
  func revoked(_ productIdentifiers: [String]) {
    Task {
      for delivery in deliveries.all {
        let products = productIdentifiers.filter(delivery.handles)
        guard !products.isEmpty else { continue }
        do {
          try await delivery.revoke(productIdentifiers: Set(products))
        } catch {
          await revoked(products, error)
        }
      }
      await revoked(productIdentifiers, nil)
    }
  }

  @MainActor
  private func revoked(_ productIdentifiers: [String], _ error: (any Error)?) {
    var userInfo: [String: Any] = [Self.productIdentifiersKey: productIdentifiers]
    if let error { userInfo[Self.errorKey] = error }
    notifications.post(name: .InAppPurchaseManagerProductsRevokedNotification, object: self, userInfo: userInfo)
  }
}
