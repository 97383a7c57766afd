import Foundation
import OpenStoreKit
import PurchaseKit
import StoreModel
import Testing

@Suite("InAppPurchaseManager", .timeLimit(.minutes(5)))
struct InAppPurchaseManagerTests {
  @Test("B4 B5 a purchase gives its credits and is finished, again and again")
  func purchase() async throws {
    let shop = try await TestShop()
    shop.manager.start()
    let five = try await shop.product(TestShop.five)
    let first = try await shop.manager.purchase(five)
    let second = try await shop.manager.purchase(five)
    #expect(first.transactionIdentifier != second.transactionIdentifier)
    #expect(first.originalTransactionIdentifier == first.transactionIdentifier)
    try await shop.device.close()
    #expect(shop.device.paymentQueue.transactions.isEmpty)
    #expect(try shop.credits.balance == 10)
    #expect(try await shop.store.charges().map(\.amount.rawValue) == [990, 990])
  }

  @Test("B6 the product is given quantity times, for one charge")
  func quantity() async throws {
    let shop = try await TestShop()
    shop.manager.start()
    let purchase = try await shop.manager.purchase(try await shop.product(TestShop.ten), quantity: 4)
    #expect(purchase.quantity == 4)
    #expect(try shop.credits.balance == 40)
    #expect(try await shop.store.charges().map(\.amount.rawValue) == [7960])
    await #expect(throws: InAppPurchaseError.quantityOutOfRange(11)) {
      try await shop.manager.purchase(try await shop.product(TestShop.ten), quantity: 11)
    }
  }

  @Test("B8 products fetched, succeeded and failed are told by notification, with the transaction under its key")
  func notifications() async throws {
    let customer = OneRefusal()
    let shop = try await TestShop(customer: customer)
    let log = NotificationLog(
      shop.notifications, .InAppPurchaseManagerProductsFetchedNotification,
      .InAppPurchaseManagerTransactionSucceededNotification, .InAppPurchaseManagerTransactionFailedNotification)
    shop.manager.start()
    shop.manager.requestProductData([TestShop.five])
    #expect(await log.next()?.name == .InAppPurchaseManagerProductsFetchedNotification)
    let five = try #require(shop.manager.fetchedProducts[TestShop.five])

    try shop.manager.purchaseProduct(five)
    let failed = try #require(await log.next())
    #expect(failed.name == .InAppPurchaseManagerTransactionFailedNotification)
    let cancelled = try #require(failed.userInfo["transaction"] as? SKPaymentTransaction)
    #expect(cancelled.error?.isPaymentCancellation == true)

    try shop.manager.purchaseProduct(five)
    let succeeded = try #require(await log.next())
    #expect(succeeded.name == .InAppPurchaseManagerTransactionSucceededNotification)
    let paid = try #require(succeeded.userInfo["transaction"] as? SKPaymentTransaction)
    #expect(paid.payment.productIdentifier == TestShop.five)
    #expect(try shop.credits.balance == 5)
  }

  @Test("a manager that was not started refuses to buy; one that is stopped tells whoever waits")
  func notStarted() async throws {
    let customer = NeverAnswering()
    let shop = try await TestShop(customer: customer)
    let five = try await shop.product(TestShop.five)
    #expect(throws: InAppPurchaseError.notStarted) { try shop.manager.purchaseProduct(five) }
    await #expect(throws: InAppPurchaseError.notStarted) { try await shop.manager.purchase(five) }
    shop.manager.start()
    let purchase = Task { try await shop.manager.purchase(five) }
    await customer.asked.next()
    shop.manager.stop()
    await #expect(throws: InAppPurchaseError.stopped) { try await purchase.value }
  }

  @Test("cancelling the task ends the waiting, not the payment")
  func cancelledTask() async throws {
    let customer = NeverAnswering()
    let shop = try await TestShop(customer: customer)
    shop.manager.start()
    let five = try await shop.product(TestShop.five)
    let purchase = Task { try await shop.manager.purchase(five) }
    await customer.asked.next()
    purchase.cancel()
    await #expect(throws: CancellationError.self) { try await purchase.value }
    #expect(shop.manager.isPurchasing(TestShop.five))
    let fetch = Task { try await shop.manager.products([TestShop.ten]) }
    fetch.cancel()
    _ = await fetch.result
  }

  @Test("B8 A5 a request that failed is told with its error, and thrown")
  func requestFailed() async throws {
    let shop = try await TestShop()
    let manager = InAppPurchaseManager(
      deliveries: [], queue: shop.device.paymentQueue, notifications: shop.notifications,
      makeProductsRequest: { FailingRequest(productIdentifiers: $0) })
    let log = NotificationLog(shop.notifications, .InAppPurchaseManagerRequestFailedNotification)
    await #expect(throws: (any Error).self) { try await manager.products([TestShop.five]) }
    let error = try #require(await log.next()?.userInfo["error"] as? any Error)
    #expect((error as NSError).domain == NSURLErrorDomain)
  }

  @Test("C1 a cancellation is told from other failures, also in its disguise")
  func cancellations() {
    #expect(SKError(.paymentCancelled).isPaymentCancellation)
    #expect(!SKError(.unknown).isPaymentCancellation)
    let sheet = NSError(domain: "AMSErrorDomain", code: 6)
    #expect(NSError(domain: SKErrorDomain, code: 907, userInfo: [NSUnderlyingErrorKey: sheet]).isPaymentCancellation)
    #expect(!NSError(domain: SKErrorDomain, code: 907).isPaymentCancellation)
    #expect(!NSError(domain: "OtherDomain", code: 2).isPaymentCancellation)
  }

  @Test("B7 a paid product this version does not know is kept and reported, and given by one that does")
  func unknownProduct() async throws {
    let shop = try await TestShop()
    let log = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionKeptNotification)
    shop.manager.start()
    let product = try await shop.product(TestShop.unknown)
    await #expect(throws: InAppPurchaseError.unknownProduct(TestShop.unknown)) {
      try await shop.manager.purchase(product)
    }
    #expect(await log.next()?.userInfo["error"] as? InAppPurchaseError == .unknownProduct(TestShop.unknown))
    #expect(shop.device.paymentQueue.transactions.count == 1)
    shop.manager.stop()

    let later = CreditManager(
      store: try SQLiteCreditStore(at: nil), creditsForProduct: [TestShop.unknown: 100],
      notifications: shop.notifications)
    let succeeded = NotificationLog(
      shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    let manager = InAppPurchaseManager(
      deliveries: [later], queue: shop.device.paymentQueue, notifications: shop.notifications)
    manager.start()
    _ = await succeeded.next()
    #expect(try later.balance == 100)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("B9 goods that could not be given leave the transaction unfinished; the next delivery gives them once")
  func failedDelivery() async throws {
    let base = try SQLiteCreditStore(at: nil)
    let shop = try await TestShop(creditStore: FailingOnce(base))
    shop.manager.start()
    let five = try await shop.product(TestShop.five)
    await #expect(throws: FailingOnce.Full.self) { try await shop.manager.purchase(five) }
    #expect(try base.balance() == 0)
    #expect(shop.device.paymentQueue.transactions.map(\.transactionState) == [.purchased])

    let succeeded = NotificationLog(
      shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    shop.manager.stop()
    shop.manager.start()
    _ = await succeeded.next()
    #expect(try base.balance() == 5)
    #expect(try await shop.store.charges().count == 1)
  }
}

/// Cancels the first confirmation, and confirms from then on.
private final class OneRefusal: StoreCustomer, @unchecked Sendable {
  private let lock = NSLock()
  private var refused = false

  func signIn(_ reason: SignInReason) async -> SignInAnswer { .credentials(.customer) }

  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    lock.withLock {
      defer { refused = true }
      return refused ? .confirm : .cancel
    }
  }
}

/// Leaves the confirmation sheet open.
private struct NeverAnswering: StoreCustomer {
  let asked = Asked()

  final class Asked: Sendable {
    private let events = AsyncStream.makeStream(of: Void.self)
    func happened() { events.continuation.yield() }
    func next() async { _ = await events.stream.first { _ in true } }
  }

  func signIn(_ reason: SignInReason) async -> SignInAnswer { .credentials(.customer) }

  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    asked.happened()
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    return .cancel
  }
}

private final class FailingRequest: SKProductsRequest {
  override func start() { delegate?.request(self, didFailWithError: URLError(.notConnectedToInternet)) }
}

/// A store whose disk is full the first time.
private final class FailingOnce: CreditStore, @unchecked Sendable {
  struct Full: Error {}

  private let base: SQLiteCreditStore
  private let lock = NSLock()
  private var failed = false

  init(_ base: SQLiteCreditStore) { self.base = base }

  func balance() throws -> Int { try base.balance() }

  func grant(
    _ credits: Int, for transactionIdentifier: String, productIdentifier: String, date: Date
  ) throws -> CreditGrant {
    let isFirst = lock.withLock {
      defer { failed = true }
      return !failed
    }
    if isFirst { throw Full() }
    return try base.grant(credits, for: transactionIdentifier, productIdentifier: productIdentifier, date: date)
  }

  func spend(_ credits: Int, key: UUID, date: Date) throws -> Int { try base.spend(credits, key: key, date: date) }
}
