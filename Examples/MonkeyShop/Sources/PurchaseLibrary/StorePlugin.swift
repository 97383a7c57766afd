import StoreKit

/// A plugin for another language: converts the queue's callbacks to dictionaries and forwards them.
public final class StorePlugin: NSObject {
  public private(set) var events: [[String: Any]] = []
  public var onEvent: () -> Void = {}
  private let queue: SKPaymentQueue

  public init(queue: SKPaymentQueue = SKPaymentQueue.default()) {
    self.queue = queue
    super.init()
  }

  public func startObserving() {
    queue.delegate = self
    queue.add(self)
    queue.showPriceConsentIfNeeded()
  }

  public func stopObserving() {
    queue.remove(self)
    if queue.delegate === self { queue.delegate = nil }
  }

  public func presentCodeRedemptionSheet() { queue.presentCodeRedemptionSheet() }

  public static func dictionary(of transaction: SKPaymentTransaction) -> [String: Any] {
    var result: [String: Any] = [
      "state": transaction.transactionState.rawValue,
      "payment": dictionary(of: transaction.payment),
      "downloads": transaction.downloads.map(dictionary(of:)),
    ]
    result["identifier"] = transaction.transactionIdentifier
    result["timestamp"] = transaction.transactionDate?.timeIntervalSince1970
    result["error"] = transaction.error.map { dictionary(of: $0 as NSError) }
    result["original"] = transaction.original.map(dictionary(of:))
    result["receipt"] = transaction.transactionReceipt?.base64EncodedString()
    return result
  }

  public static func dictionary(of payment: SKPayment) -> [String: Any] {
    var result: [String: Any] = [
      "product": payment.productIdentifier, "quantity": payment.quantity,
      "askToBuy": payment.simulatesAskToBuyInSandbox,
    ]
    result["username"] = payment.applicationUsername
    result["requestData"] = payment.requestData
    result["discount"] = payment.paymentDiscount.map { discount -> [String: Any] in
      [
        "identifier": discount.identifier, "keyIdentifier": discount.keyIdentifier,
        "nonce": discount.nonce.uuidString, "signature": discount.signature, "timestamp": discount.timestamp,
      ]
    }
    return result
  }

  public static func dictionary(of download: SKDownload) -> [String: Any] {
    [
      "state": download.state.rawValue, "identifier": download.contentIdentifier,
      "length": download.expectedContentLength, "version": download.contentVersion,
      "progress": download.progress, "remaining": download.timeRemaining,
      "url": download.contentURL?.absoluteString ?? "",
      "product": download.transaction.payment.productIdentifier,
    ]
  }

  public static func dictionary(of error: NSError) -> [String: Any] {
    ["domain": error.domain, "code": error.code, "message": error.localizedDescription]
  }

  public static func dictionary(of storefront: SKStorefront) -> [String: String] {
    ["country": storefront.countryCode, "identifier": storefront.identifier]
  }

  private func send(_ name: String, _ content: Any? = nil) {
    var event: [String: Any] = ["name": name]
    event["content"] = content
    events.append(event)
    onEvent()
  }
}

extension StorePlugin: SKPaymentTransactionObserver {
  public func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    send("updated", transactions.map(Self.dictionary(of:)))
  }

  public func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
    send("removed", transactions.map(Self.dictionary(of:)))
  }

  public func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {
    send("restoreFailed", Self.dictionary(of: error as NSError))
  }

  public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { send("restoreFinished") }

  public func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
    send("downloads", downloads.map(Self.dictionary(of:)))
  }

  public func paymentQueue(
    _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
  ) -> Bool {
    send("storePayment", Self.dictionary(of: payment))
    return false
  }

  public func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {
    send("storefront", queue.storefront.map(Self.dictionary(of:)))
  }

  public func paymentQueue(
    _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
  ) {
    send("revoked", productIdentifiers)
  }
}

extension StorePlugin: SKPaymentQueueDelegate {
  public func paymentQueue(
    _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction, in newStorefront: SKStorefront
  ) -> Bool {
    send("shouldContinue", Self.dictionary(of: newStorefront))
    return false
  }

  public func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool { false }
}
