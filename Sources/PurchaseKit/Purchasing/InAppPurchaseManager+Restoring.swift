import Foundation

extension InAppPurchaseManager {
  /// Whether purchases are being restored. The Restore button is disabled meanwhile.
  public var isRestoring: Bool { state.withLock { $0.restore != nil } }

  /// Restores the customer's purchases, and waits until their products are delivered. Notifications report the result
  /// as well.
  ///
  /// It may be called any number of times, but not during another restore. If there is nothing to restore, the result
  /// is empty, and the app should tell the customer.
  ///
  /// If the manager has a purchase server and the customer is not known yet, this installation registers at the server
  /// first. The restore begins after the registration, or after five seconds without one.
  ///
  /// Cancelling the task ends the waiting, not the restore.
  ///
  /// - Parameter applicationUsername: the app's name for its user; the same as for payments. StoreKit 2 ignores it.
  /// - Throws: StoreKit's error; products that arrived before it are delivered nevertheless.
  ///   ``InAppPurchaseError/notStarted`` or ``InAppPurchaseError/restoring`` if the restore did not begin.
  @discardableResult
  public func restorePurchases(applicationUsername: String? = nil) async throws -> RestoredPurchases {
    try Task.checkCancellation()
    let ticket = state.withLock { $0.makeTicket() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        do {
          try beginRestore(applicationUsername, RestoreProgress.Waiting(ticket: ticket, continuation: continuation))
          // The handler below may have run before the task waited.
          if Task.isCancelled { stopWaitingForRestore(ticket) }
        } catch {
          continuation.resume(throwing: error)
        }
      }
    } onCancel: {
      stopWaitingForRestore(ticket)
    }
  }

  /// Begins to restore; a notification reports the outcome.
  ///
  /// - Throws: ``InAppPurchaseError/notStarted`` or ``InAppPurchaseError/restoring``.
  public func restore(applicationUsername: String? = nil) throws(InAppPurchaseError) {
    try beginRestore(applicationUsername, nil)
  }

  private func beginRestore(
    _ applicationUsername: String?, _ waiting: RestoreProgress.Waiting?
  ) throws(InAppPurchaseError) {
    let number = try state.withLock { state throws(InAppPurchaseError) in try state.beginRestore(waiting) }
    guard let server, server.customer == nil else {
      return edge.restore(applicationUsername: applicationUsername)
    }
    // The server joins this installation with an earlier one only by a receipt that is newer than the registration. If
    // the installation registers first, the restore provides such a receipt.
    Task {
      await register()
      // `stop()` may have ended the restore meanwhile, and another one may have begun.
      guard state.withLock({ $0.restore?.number == number }) else { return }
      edge.restore(applicationUsername: applicationUsername)
    }
  }

  private func stopWaitingForRestore(_ ticket: Int) {
    let waiting = state.withLock { $0.restore?.stopWaiting(ticket) }
    waiting?.continuation.resume(throwing: CancellationError())
  }

  // MARK: Events of StoreKit

  /// Delivers a restored transaction's product and finishes the transaction.
  func restored(_ transaction: StoreTransaction) {
    advanceRestore { $0.arrived(transaction) }
    fulfil(transaction)
  }

  func restoreEnded(_ error: (any Error)?) { advanceRestore { $0.ended(error) } }

  /// Changes the running restore, and reports its end if it has ended.
  func advanceRestore(_ change: (inout RestoreProgress) -> Void) {
    guard let end = state.withLock({ $0.advanceRestore(change) }) else { return }
    report(end)
  }

  func report(_ end: RestoreProgress.End) {
    let result = end.result.flatMap { purchases in
      Result {
        if purchases.keptProductIdentifiers.isEmpty { try finishRestore() }
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
        name: .InAppPurchaseManagerRestoreFailedNotification, object: self, userInfo: [Self.errorKey: error.castable])
    }
    end.waiting?.continuation.resume(with: result)
  }

  /// Notifies all deliveries, even if one of them fails.
  private func finishRestore() throws {
    var firstError: (any Error)?
    for delivery in state.withLock({ $0.deliveries }) {
      do {
        try delivery.restoreFinished()
      } catch {
        firstError = firstError ?? error
      }
    }
    if let firstError { throw firstError }
  }

  /// Notifies the deliveries of products that the store revoked.
  ///
  /// - Parameter isRetry: whether they were notified before, and one of them has failed. A second failure posts no
  ///   notification: an app would show the same alert twice a minute.
  /// - Returns: the work. Its value is whether all deliveries have recorded the revocation.
  @discardableResult
  func revoked(_ productIdentifiers: [String], isRetry: Bool = false) -> Task<Bool, Never> {
    Task {
      var areRecorded = true
      for delivery in state.withLock({ $0.deliveries }) {
        let products = productIdentifiers.filter(delivery.handles)
        guard !products.isEmpty else { continue }
        do {
          try await delivery.revoke(productIdentifiers: Set(products))
        } catch {
          areRecorded = false
          if !isRetry { await postRevoked(products, error) }
        }
      }
      if areRecorded || !isRetry { await postRevoked(productIdentifiers, nil) }
      return areRecorded
    }
  }

  @MainActor
  private func postRevoked(_ productIdentifiers: [String], _ error: (any Error)?) {
    var userInfo: [String: Any] = [Self.productIdentifiersKey: productIdentifiers]
    if let error { userInfo[Self.errorKey] = error.castable }
    notifications.post(name: .InAppPurchaseManagerProductsRevokedNotification, object: self, userInfo: userInfo)
  }
}
