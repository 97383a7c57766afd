import Foundation
import OpenStoreKit
import PurchaseKit
import ShopFixtures
import StoreModel
import Testing

@Suite("Payments that fail", .timeLimit(.minutes(30)))
struct PaymentFailureTests {
  struct Failure: Sendable, CustomTestStringConvertible {
    let error: AppError
    let isCancellation: Bool
    /// The text that the customer sees; nil if no alert is shown, empty for the error's own description.
    var alert: String? = ""

    init(_ domain: String, _ code: Int, message: String? = nil, under: AppError.Underlying? = nil, alert: String? = "")
    {
      error = AppError(domain: domain, code: code, message: message, underlying: under)
      // StoreKit shows its own alert for code 4 (paymentNotAllowed).
      isCancellation = alert == nil && !(domain == SKErrorDomain && code == 4)
      self.alert = alert
    }

    var testDescription: String { "\(error.domain) \(error.code)" }
  }

  static let sheetFailed = AppError.Underlying(domain: "AMSErrorDomain", code: 6)

  static let failures: [Failure] =
    [
      Failure(SKErrorDomain, 0, alert: "Cannot connect to iTunes Store"),
      Failure("SSServerErrorDomain", 5002, alert: "An unknown error has occurred"),
      Failure("SSServerErrorDomain", 5020, alert: "Forget Your Password?"),
      Failure("SSServerErrorDomain", -5000, message: "Wrong password.", alert: "Wrong password."),
      Failure("ASDServerErrorDomain", 3532, message: "You are subscribed.", alert: "You are subscribed."),
      Failure(
        SKErrorDomain, 0, message: "Not now.", under: AppError.Underlying(domain: "ASDServerErrorDomain", code: 3532),
        alert: "Not now."),
      // Cancellations, and errors that only look like cancellations.
      Failure(SKErrorDomain, 2, alert: nil),
      Failure(SKErrorDomain, 2, message: "Cannot connect to iTunes Store", alert: nil),
      Failure(SKErrorDomain, 907, under: sheetFailed, alert: nil),
      Failure(SKErrorDomain, 907, message: "It broke.", alert: "It broke."),
      Failure(
        SKErrorDomain, 907, message: "It broke.", under: AppError.Underlying(domain: "AMSErrorDomain", code: 100),
        alert: "It broke."),
      Failure(SKErrorDomain, 0, message: "It broke.", under: sheetFailed, alert: "It broke."),
      Failure("SSErrorDomain", 2, message: "It broke.", alert: "It broke."),
      Failure(NSURLErrorDomain, -999, message: "It broke.", alert: "It broke."),
    ]
    + (1...20).filter { $0 != 2 }.map {
      Failure(SKErrorDomain, $0, message: "Words \($0)", alert: $0 == 4 ? nil : "Words \($0)")
    }

  @Test(
    "C1 C2 C3 every store error reaches the caller with domain and message; the transaction is finished, nothing is charged",
    arguments: failures)
  func table(_ failure: Failure) async throws {
    let shop = try await TestShop()
    let log = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionFailedNotification)
    shop.manager.start()
    shop.network.refusePayments(StoreRefusal(.storeFailure, "It failed.", appError: failure.error))
    let five = try await shop.product(TestShop.five)
    let thrown = try #require(await #expect(throws: (any Error).self) { try await shop.manager.purchase(five) })
    #expect((thrown as NSError).domain == failure.error.domain)
    #expect((thrown as NSError).code == failure.error.code)
    #expect(thrown.isPaymentCancellation == failure.isCancellation)
    #expect(thrown.purchaseAlert() == failure.alert)

    let reported = try #require(await log.next()?.transaction)
    #expect((reported.error as NSError?)?.code == failure.error.code)
    #expect(shop.manager.purchaseButton(for: TestShop.five).isEnabled)
    try await shop.close()
    #expect(shop.device.paymentQueue.transactions.isEmpty)
    #expect(try await shop.store.charges().isEmpty)
    #expect(try shop.credits.balance == 0)
  }

  @Test(
    "C3 a failed transaction is not redelivered at the next launch",
    arguments: StoreInterface.allCases)
  func notAgain(_ storeKit: StoreInterface) async throws {
    var shop = try await TestShop(storeKit)
    shop.manager.start()
    shop.network.refusePayments(StoreRefusal(.storeFailure, "It failed."))
    let five = try await shop.product(TestShop.five)
    await #expect(throws: (any Error).self) { try await shop.manager.purchase(five) }
    shop = try await shop.relaunched()
    #expect(shop.device.openPaymentCount == 0)
    shop.manager.start()
    // A failed transaction that was left would be reported before this purchase.
    let log = NotificationLog(
      shop.notifications, .InAppPurchaseManagerTransactionFailedNotification,
      .InAppPurchaseManagerTransactionSucceededNotification)
    // The product of the launch before is of a closed device.
    try await shop.manager.purchase(try await shop.product(TestShop.five))
    #expect(await log.next()?.name == .InAppPurchaseManagerTransactionSucceededNotification)
  }

  @Test("C1 a cancellation is distinguished from other failures, also as another error or wrapped")
  func cancellations() {
    #expect(SKError(.paymentCancelled).isPaymentCancellation)
    #expect(!SKError(.unknown).isPaymentCancellation)
    let sheet = NSError(domain: "AMSErrorDomain", code: 6)
    let wrapped = NSError(domain: "ASDErrorDomain", code: 500, userInfo: [NSUnderlyingErrorKey: sheet])
    for underlying in [sheet, wrapped] {
      let error = NSError(domain: SKErrorDomain, code: 907, userInfo: [NSUnderlyingErrorKey: underlying])
      #expect(error.isPaymentCancellation)
      #expect(error.purchaseAlert() == nil)
    }
    #expect(!NSError(domain: SKErrorDomain, code: 907).isPaymentCancellation)
    #expect(!NSError(domain: "OtherDomain", code: 2).isPaymentCancellation)
    #expect(!wrapped.isPaymentCancellation)
    #expect(!CancellationError().isPaymentCancellation)
  }

  @Test("C1 C2 the customer sees an error's own message, whatever the kind of error")
  func ownMessages() {
    struct Plain: Error, CustomStringConvertible { let description = "The disk is full." }
    #expect(Plain().purchaseAlert() == "The disk is full.")
    #expect((Plain() as any Error).purchaseAlert() == "The disk is full.")
    let foundation: any Error = NSError(domain: "Some", code: 1, userInfo: [NSLocalizedDescriptionKey: "It broke."])
    #expect(foundation.purchaseAlert() == "It broke.")
    #expect(InAppPurchaseError.paymentsNotAllowed.purchaseAlert() == InAppPurchaseError.paymentsNotAllowed.description)
    #expect(CreditError.insufficient(balance: 1, requested: 2).localizedDescription.contains("there are 1"))
    let userInfo = [NSLocalizedDescriptionKey: "Say it."]
    #expect(SKError(.unknown, userInfo: userInfo).purchaseAlert() == "Say it.")
    #expect(SKError(.paymentCancelled, userInfo: userInfo).purchaseAlert() == nil)
  }

  @Test(
    "C6 on a restricted device prices are fetched, an added payment fails, and no request for it reaches the store",
    arguments: StoreInterface.allCases)
  func restricted(_ storeKit: StoreInterface) async throws {
    let shop = try await TestShop(storeKit, devicePaymentsAllowed: false)
    shop.manager.start()
    let five = try await shop.product(TestShop.five)
    #expect(five.displayPrice == "$0.99")
    #expect(!shop.manager.canMakePayments)
    #expect(shop.manager.purchaseButton(for: TestShop.five) == .disabled)
    let error = try #require(
      await #expect(throws: (any Error).self) { try await shop.manager.purchase(five) })
    #expect((error as? SKError)?.code == .paymentNotAllowed)
    #expect(error.purchaseAlert() == nil, "StoreKit shows its own alert")
    try await shop.close()
    #expect(!shop.network.sent.contains(.quote) && !shop.network.sent.contains(.confirm))
    #expect(shop.device.paymentQueue.transactions.isEmpty)
  }

  @Test(
    "C4 B9 the network fails before the request is sent: the purchase waits, and succeeds when it returns",
    arguments: StoreInterface.allCases)
  func outage(_ storeKit: StoreInterface) async throws {
    let retry = ManualRetry()
    let shop = try await TestShop(storeKit, retry: retry)
    shop.manager.start()
    let five = try await shop.product(TestShop.five)
    shop.network.isUp = false
    let purchase = Task { try await shop.manager.purchase(five) }
    _ = await retry.nextWait()
    // With StoreKit 2, that may be the worker that waits for changes.
    while shop.manager.openPayment(for: TestShop.five) == nil { await Task.yield() }
    #expect(shop.manager.purchaseButton(for: TestShop.five) == .purchasing)
    shop.network.isUp = true
    retry.release()
    retry.release()
    #expect(try await purchase.value.productIdentifier == TestShop.five)
    #expect(try shop.credits.balance == 5)
    #expect(try await shop.store.charges().count == 1)
  }
}
