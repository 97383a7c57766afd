import StoreKit

/// The state of the club's page. It is isolated to the main actor, on which StoreKit calls back.
@MainActor
public final class ClubModel: NSObject {
  public enum Sale: Equatable, Sendable {
    case none
    case buying(String)
    case waitingForApproval(String)
    case bought(String)
    case cancelled
    case failed(SKError.Code)
  }

  public private(set) var sale = Sale.none {
    didSet { sales.continuation.yield(sale) }
  }
  public private(set) var bananas = 0
  public private(set) var revoked: [String] = []
  public private(set) var storefrontChanges = 0
  public private(set) var restoreEnded = 0
  public private(set) var isRemoved = false
  /// The successive values of `sale`.
  public nonisolated let sales = AsyncStream.makeStream(of: Sale.self)

  private let paymentQueue: SKPaymentQueue
  private var storePayments: [SKPayment] = []

  public init(paymentQueue: SKPaymentQueue = .default()) {
    self.paymentQueue = paymentQueue
    super.init()
    paymentQueue.add(self)
    paymentQueue.delegate = self
  }

  public func close() { paymentQueue.remove(self) }

  public var canBuy: Bool { SKPaymentQueue.canMakePayments() }

  public var country: String? { paymentQueue.storefront?.countryCode }

  public func buy(_ product: SKProduct, quantity: Int = 1) {
    let payment = SKMutablePayment(product: product)
    payment.quantity = quantity
    paymentQueue.add(payment)
  }

  public func restore() { paymentQueue.restoreCompletedTransactions() }

  /// Adds the payments that the customer started in the App Store.
  public func resumeStorePayments() {
    for payment in storePayments { paymentQueue.add(payment) }
    storePayments = []
  }

  private func heed(_ transaction: SKPaymentTransaction) {
    let identifier = transaction.payment.productIdentifier
    switch transaction.transactionState {
    case .purchasing:
      sale = .buying(identifier)
    case .deferred:
      sale = .waitingForApproval(identifier)
    case .purchased, .restored:
      bananas += transaction.payment.quantity
      paymentQueue.finishTransaction(transaction)
      sale = .bought(identifier)
    case .failed:
      paymentQueue.finishTransaction(transaction)
      sale = Self.sale(failedWith: transaction.error)
    @unknown default:
      break
    }
  }

  private static func sale(failedWith error: (any Error)?) -> Sale {
    switch error {
    case SKError.paymentCancelled?: .cancelled
    case let error as SKError: .failed(error.code)
    default: .failed(.unknown)
    }
  }
}

extension ClubModel: @preconcurrency SKPaymentTransactionObserver {
  public func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    transactions.forEach(heed)
  }

  public func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
    isRemoved = true
  }

  public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { restoreEnded += 1 }

  public func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {
    restoreEnded += 1
  }

  public func paymentQueue(
    _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
  ) -> Bool {
    // The page is not ready yet. `resumeStorePayments()` adds the payment later.
    storePayments.append(payment)
    return false
  }

  public func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) { storefrontChanges += 1 }

  public func paymentQueue(
    _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
  ) {
    revoked += productIdentifiers
  }
}

extension ClubModel: @preconcurrency SKPaymentQueueDelegate {
  public func paymentQueue(
    _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction, in newStorefront: SKStorefront
  ) -> Bool {
    newStorefront.countryCode == "USA"
  }

  public func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool { false }
}
