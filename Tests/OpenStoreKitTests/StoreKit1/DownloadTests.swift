import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("Hosted content, which Apple has withdrawn", .timeLimit(.minutes(30)))
struct DownloadTests {
  @Test("a download that is started or resumed fails, and its error says why")
  func start() async throws {
    let queue = SKPaymentQueue()
    let observer = DownloadObserver()
    queue.add(observer)
    for begin in [queue.start as ([SKDownload]) -> Void, queue.resume] {
      let download = SKDownload()
      #expect(download.state == .waiting)
      begin([download])
      #expect(try await observer.next() == [.failed])
      #expect(download.downloadState == .failed)
      let error = try #require(download.error as? SKError)
      #expect(error.code == .unknown)
      let reason = try #require(error.userInfo[NSLocalizedFailureReasonErrorKey] as? String)
      #expect(reason.contains("Apple no longer hosts content"))
    }
  }

  @Test("a cancelled download is reported once, and a failed one stays failed")
  func cancel() async throws {
    let queue = SKPaymentQueue()
    let observer = DownloadObserver()
    queue.add(observer)
    let (cancelled, failed, marker) = (SKDownload(), SKDownload(), SKDownload())
    queue.start([failed])
    queue.cancel([cancelled, failed])
    queue.cancel([cancelled])
    queue.pause([marker])
    queue.start([marker, failed])
    #expect(try await observer.next() == [.failed])
    #expect(try await observer.next() == [.cancelled])
    #expect(try await observer.next() == [.failed, .failed])
    #expect(cancelled.state == .cancelled)
    #expect(cancelled.error is SKError)
  }

  @Test("a download has nothing to show: no content, no length, no time")
  func empty() {
    let download = SKDownload()
    #expect(download.contentURL == nil)
    #expect(download.contentIdentifier.isEmpty)
    #expect(download.contentVersion.isEmpty)
    #expect(download.expectedContentLength == 0)
    #expect(download.contentLength == 0)
    #expect(download.progress == 0)
    #expect(download.timeRemaining == SKDownloadTimeRemainingUnknown)
    #expect(download.error == nil)
    #expect(download.transaction === download.transaction)
    #expect(SKDownload.contentURL(forProductID: "a") == nil)
    SKDownload.deleteContent(forProductID: "a")
  }

  @Test("a purchased transaction has a receipt of its own, where the store gives one, and no downloads")
  func transaction() {
    var purchase = PurchasedTransaction(
      transactionID: TransactionID(1), productID: "a", quantity: 1, purchaseDate: StoreDate(millisecondsSince1970: 0),
      signedTransaction: "x.y.z")
    let request = PaymentRequest(paymentID: "1", productID: "a")
    #expect(
      SKPaymentTransaction(QueueEntry(sequence: 1, payment: request, state: .purchased(purchase))).transactionReceipt
        == nil)
    purchase.transactionReceipt = Data("receipt".utf8)
    let transaction = SKPaymentTransaction(QueueEntry(sequence: 1, payment: request, state: .purchased(purchase)))
    #expect(transaction.transactionReceipt == Data("receipt".utf8))
    #expect(transaction.downloads.isEmpty)
    #expect(SKPaymentTransaction(QueueEntry(sequence: 1, payment: request, state: .added)).transactionReceipt == nil)
  }

  @Test("no product is downloadable, under the newer names or the older")
  func products() {
    let product = SKProduct()
    #expect(!product.isDownloadable && !product.downloadable)
    #expect(product.downloadContentLengths.isEmpty && product.contentLengths.isEmpty)
    #expect(product.downloadContentVersion.isEmpty && product.contentVersion.isEmpty)
  }
}

/// Records the states of downloads at the time of each update, which must come on the main queue.
private final class DownloadObserver: NSObject, SKPaymentTransactionObserver, Sendable {
  private let reported = AsyncStream.makeStream(of: [SKDownloadState].self)

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

  func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
    dispatchPrecondition(condition: .onQueue(.main))
    reported.continuation.yield(downloads.map(\.state))
  }

  func next() async throws -> [SKDownloadState] {
    var iterator = reported.stream.makeAsyncIterator()
    return try #require(await iterator.next())
  }
}
