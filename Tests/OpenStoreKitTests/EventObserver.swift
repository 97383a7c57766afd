import Foundation
import OpenStoreKit
import StoreModel

/// An observer of the queue's events that are not transaction updates.
final class EventObserver: NSObject, SKPaymentTransactionObserver, Sendable {
  enum ObservedEvent: Equatable, Sendable {
    case restoreFinished
    case restoreFailed(domain: String, code: Int)
    case storefrontChanged(String?)
    case revoked([String])
    case storePayment(product: String, quantity: Int, price: String)
  }

  /// A payment that nothing changes any more.
  private struct Offered: @unchecked Sendable {
    let payment: SKPayment
  }

  private let stream = AsyncStream.makeStream(of: ObservedEvent.self)
  private let offered = LockedValue<[Offered]>([])
  private let acceptsStorePayments: Bool

  init(acceptsStorePayments: Bool = false) {
    self.acceptsStorePayments = acceptsStorePayments
    super.init()
  }

  /// The payments that the store offered. The test may add them later.
  var offeredPayments: [SKPayment] { offered.value.map(\.payment) }

  func next() async -> ObservedEvent? {
    for await happening in stream.stream { return happening }
    return nil
  }

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

  func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
    stream.continuation.yield(.restoreFinished)
  }

  func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {
    stream.continuation.yield(.restoreFailed(domain: (error as NSError).domain, code: (error as NSError).code))
  }

  func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {
    stream.continuation.yield(.storefrontChanged(queue.storefront?.countryCode))
  }

  func paymentQueue(
    _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
  ) {
    stream.continuation.yield(.revoked(productIdentifiers))
  }

  func paymentQueue(
    _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
  ) -> Bool {
    offered.withLock { $0.append(Offered(payment: payment)) }
    stream.continuation.yield(
      .storePayment(product: product.productIdentifier, quantity: payment.quantity, price: "\(product.price)"))
    return acceptsStorePayments
  }
}
