import Foundation
import SignedData
import StoreModel

// What people do outside of an app's code on Apple's platforms, for StoreKit 2: Documentation/storekit2.md.
extension StoreKitDevice {
  /// The products of a subscription group that are on sale, the highest level of service first, as `SubscriptionStoreView`
  /// shows them.
  ///
  /// - Throws: ``StoreKitError``.
  public func subscriptionStore(group: String) async throws -> [Product] {
    do {
      try simulatedErrors.check(.loadProducts)
      let list = try await engine.products([], group: SubscriptionGroupID(group))
      let ordered = list.products.sorted { left, right in
        let (leftLevel, rightLevel) = (left.subscription?.groupLevel ?? 0, right.subscription?.groupLevel ?? 0)
        return leftLevel == rightLevel ? left.productID.rawValue < right.productID.rawValue : leftLevel < rightLevel
      }
      return ordered.map { Product($0, on: self) }
    } catch {
      throw StoreKitError.general(error)
    }
  }

  /// Shows the customer the sheet on which a refund is requested, and sends the request, as Apple's
  /// `beginRefundRequest(for:in:)` does. An operator of the store decides later.
  ///
  /// - Returns: whether the request was made, or the customer has cancelled.
  /// - Throws: ``Transaction/RefundRequestError``; ``StoreKitError`` if the store cannot be reached.
  public func beginRefundRequest(for transactionID: UInt64) async throws -> Transaction.RefundRequestStatus {
    let id = TransactionID(transactionID)
    try simulatedErrors.check(.refundRequest)
    _ = await engine.refresh()
    guard let transaction = try journaled({ try $0.transaction(id) }), transaction.revocationDate == nil else {
      throw Transaction.RefundRequestError.failed
    }
    guard case .request(let reason) = await engine.customer.requestRefund(transaction.productID, id) else {
      return .userCancelled
    }
    do {
      try await engine.requestRefund(of: id, reason: reason)
      return .success
    } catch let refusal as StoreRefusal {
      throw refusal.code == .refundRequested
        ? Transaction.RefundRequestError.duplicateRequest : Transaction.RefundRequestError.failed
    } catch {
      throw StoreKitError.general(error)
    }
  }

  /// Shows a message to the customer, as Apple's `Message.display(in:)` does. Returns when the customer has closed it.
  public func display(_ message: Message) async {
    await engine.customer.inform(.message(StoreMessage(rawValue: message.reason.rawValue) ?? .generic))
  }
}

extension StoreKitDevice {
  /// The trust anchors for what is signed for this device as a JWS: transactions, renewal information, app transactions. It is
  /// the root of the store to which the device was bound at the first contact; nil before that. Receipts have another root
  /// (``receiptAnchors``).
  public var transactionAnchors: TrustAnchors? {
    // The first fingerprint is of the root of signed transactions, the second of the root of receipts.
    guard let roots = try? journal.rootFingerprints(), roots.count == 2, let root = SHA256Fingerprint(hex: roots[0])
    else { return nil }
    return TrustAnchors(root: root, of: environment)
  }
}

extension StoreKitDevice {
  /// The current device.
  ///
  /// - Throws: ``StoreKitError/systemError(_:)`` if there is none.
  static func orSystemError() throws -> StoreKitDevice {
    do {
      return try resolved()
    } catch {
      throw StoreKitError.systemError(error)
    }
  }

  /// The value of a stored transaction. Nil if an id does not fit into 64 bits.
  func result(of transaction: DeviceTransaction) -> VerificationResult<Transaction>? {
    result(of: transaction.signedTransaction, failure: nil)
  }

  /// The value of a transaction as a compact JWS. Nil if none can be made.
  func result(of jws: String, failure: VerificationFailure?) -> VerificationResult<Transaction>? {
    let content = try? SignedContent(jws: jws, failure: failure ?? simulatedErrors.verification) {
      try SignedTransaction(payload: $0)
    }
    return content.flatMap { Transaction($0, on: self) }.map { VerificationResult($0) }
  }

  /// The value of an element of `Transaction.updates`, with the newest content, and its announcement if it has one. Nil if
  /// the transaction is no longer stored.
  func result(
    of update: TransactionUpdate
  ) -> (transaction: VerificationResult<Transaction>, announcement: Int64?)? {
    switch update {
    case .stored(let id):
      guard let stored = reading({ try $0.transaction(id) }) ?? nil, let result = result(of: stored) else { return nil }
      return (result, stored.announcement)
    case .unverified(let jws, let failure):
      return result(of: jws, failure: failure).map { ($0, nil) }
    }
  }

  /// Asks the store for changes, before the journal is read.
  ///
  /// - Returns: false if the task is cancelled: the caller then shows nothing, as Apple's StoreKit.
  func isRefreshed() async -> Bool {
    guard !Task.isCancelled else { return false }
    _ = await engine.refresh()
    return !Task.isCancelled
  }

  /// Reads or writes the journal.
  ///
  /// - Throws: ``StoreKitError/systemError(_:)``.
  func journaled<Value>(_ work: (PaymentJournal) throws -> Value) throws -> Value {
    do {
      return try work(journal)
    } catch {
      throw StoreKitError.systemError(error)
    }
  }
}
