import Foundation
import OpenStoreKit
import StoreModel
import Testing

/// A phone in this process that reaches the bakery over HTTP. Its app finishes every transaction that it observes.
final class ServedDevice: NSObject, SKPaymentTransactionObserver, Sendable {
  let device: StoreKitDevice
  private let reported = AsyncStream.makeStream(of: Notified.self)

  struct Notified: Sendable {
    let transaction: SKPaymentTransaction
    let state: SKPaymentTransactionState
    let error: NSError?
  }

  /// Retries at once.
  private struct AtOnce: RetrySchedule {
    func wait(afterFailures failures: Int) async throws {}
  }

  init(port: Int, scheme: String = "http") throws {
    let url = try #require(URL(string: "\(scheme)://127.0.0.1:\(port)"))
    device = try StoreKitDevice(
      connection: HTTPAppStoreConnection(url), bundleID: BakeryServer.app, storage: .inMemory, retry: AtOnce(),
      report: { _ in })
    super.init()
    device.paymentQueue.add(self)
  }

  func buy(_ product: ProductID = BakeryServer.loaf) {
    let payment = SKMutablePayment()
    payment.productIdentifier = product.rawValue
    device.paymentQueue.add(payment)
  }

  /// Returns the next transaction that is no longer purchasing.
  func nextEnd() async throws -> Notified {
    var iterator = reported.stream.makeAsyncIterator()
    return try #require(await iterator.next())
  }

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions where transaction.transactionState != .purchasing {
      reported.continuation.yield(
        Notified(transaction: transaction, state: transaction.transactionState, error: transaction.error as NSError?))
      queue.finishTransaction(transaction)
    }
  }
}
