import BananaClub
import StoreKit
import Testing

@Suite("The club's model, over a replaced queue", .timeLimit(.minutes(30)))
@MainActor
struct ClubModelTests {
  private let queue = MockQueue()
  private let model: ClubModel

  init() { model = ClubModel(paymentQueue: queue) }

  @Test("follows a purchase from purchasing to purchased")
  func purchase() {
    model.buy(MockProduct("banana"), quantity: 1)
    #expect(queue.products == ["banana"])
    tell(.init("banana", .purchasing))
    #expect(model.sale == .buying("banana"))
    tell(.init("banana", .deferred))
    #expect(model.sale == .waitingForApproval("banana"))
    tell(.init("banana", .purchased))
    #expect(model.sale == .bought("banana"))
    #expect(model.bananas == 1)
    #expect(queue.finishedProducts == ["banana"])
  }

  @Test("tells a cancellation from other failures, whether it comes as SKError or as NSError")
  func failures() {
    for error: any Error in [SKError(.paymentCancelled), NSError(domain: SKErrorDomain, code: 2)] {
      tell(.init("banana", .failed, error: error))
      #expect(model.sale == .cancelled)
    }
    tell(.init("banana", .failed, error: SKError(.paymentNotAllowed)))
    #expect(model.sale == .failed(.paymentNotAllowed))
    tell(.init("banana", .failed, error: NSError(domain: "SSServerErrorDomain", code: 5002)))
    #expect(model.sale == .failed(.unknown))
  }

  @Test("keeps a payment that was begun in the App Store until it is ready")
  func storePayment() {
    let payment = SKPayment(product: MockProduct("club"))
    let observer: any SKPaymentTransactionObserver = model
    #expect(observer.paymentQueue?(queue, shouldAddStorePayment: payment, for: MockProduct("club")) == false)
    #expect(queue.products.isEmpty)
    model.resumeStorePayments()
    #expect(queue.products == ["club"])
  }

  @Test("hears everything else the queue says")
  func therest() {
    let observer: any SKPaymentTransactionObserver = model
    observer.paymentQueue(queue, removedTransactions: [])
    observer.paymentQueueDidChangeStorefront?(queue)
    observer.paymentQueueRestoreCompletedTransactionsFinished?(queue)
    observer.paymentQueue?(queue, restoreCompletedTransactionsFailedWithError: SKError(.unknown))
    observer.paymentQueue?(queue, didRevokeEntitlementsForProductIdentifiers: ["club"])
    observer.paymentQueue?(queue, updatedDownloads: [SKDownload()])
    #expect(model.isRemoved && model.storefrontChanges == 1 && model.restoreEnded == 2 && model.revoked == ["club"])
  }

  @Test("is the queue's delegate, and is not kept by it")
  func delegate() {
    #expect(queue.delegate === model)
    let transaction = MockTransaction("banana", .purchasing)
    #expect(queue.delegate?.paymentQueue(queue, shouldContinue: transaction, in: MockStorefront("USA")) == true)
    #expect(queue.delegate?.paymentQueue?(queue, shouldContinue: transaction, in: MockStorefront("DEU")) == false)
    #expect(queue.delegate?.paymentQueueShouldShowPriceConsent(queue) == false)
    let other = SKPaymentQueue()
    do { _ = ClubModel(paymentQueue: other) }
    #expect(other.delegate == nil)
    #expect(other.transactionObservers.isEmpty)
  }

  @Test("transactions describe themselves, and are keys")
  func transactions() {
    let transaction = MockTransaction("banana", .restored)
    #expect(String(reflecting: transaction as SKPaymentTransaction) == "banana restored")
    #expect(Set([transaction, transaction, SKPaymentTransaction()]).count == 2)
    #expect("\(SKDownload().state)" == "waiting")
  }

  @Test("a request's failure is thrown")
  func failingRequest() async {
    await #expect(throws: URLError.self) {
      try await ProductLoader.products(["banana"]) { MockProductsRequest(productIdentifiers: $0) }
    }
  }

  private func tell(_ transaction: MockTransaction) {
    model.paymentQueue(queue, updatedTransactions: [transaction])
  }
}
