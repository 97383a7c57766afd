import AppStoreEmulator
import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("What the customer is asked, and what follows", .timeLimit(.minutes(30)))
struct CustomerTests {
  @Test("B2 B6 the confirmation shows product, quantity, unit price and total, and that is what is charged")
  func confirmation() async throws {
    let test = try await TestStore()
    let customer = ScriptedCustomer()
    let device = try test.device(customer: customer)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.ten, quantity: 4))
    let paid = try await observer.next(.purchased)
    #expect(paid.payment.quantity == 4)
    let quote = try #require(customer.askedToConfirm.first)
    #expect(quote.displayName == "10 credits")
    #expect(quote.payment.quantity == 4)
    #expect(quote.unitPrice == Price(amount: Milliunits(1990), currency: "USD"))
    #expect(quote.total == Price(amount: Milliunits(7960), currency: "USD"))
    #expect(try await test.store.charges().map(\.amount) == [Milliunits(7960)])
    #expect(try await test.store.transactions().map(\.record.quantity) == [4])
    #expect(customer.askedToSignIn == [.notSignedIn])
  }

  @Test("C1 C3 cancelling fails with paymentCancelled, charges nothing, and leaves the queue when it is finished")
  func cancel() async throws {
    let test = try await TestStore()
    let device = try test.device(customer: ScriptedCustomer(confirmations: [.cancel]))
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    let failed = try await observer.next(.failed)
    #expect((failed.error as? SKError)?.code == .paymentCancelled)
    #expect(failed.transactionIdentifier == nil)
    device.paymentQueue.finishTransaction(failed)
    #expect(try await observer.next().event == .removed(TestStore.five))
    #expect(try await test.store.charges().isEmpty)
  }

  @Test("B2 a sign-in is asked for, again where it was refused, and cancelling it cancels the payment")
  func signIn() async throws {
    let test = try await TestStore()
    try await test.store.addCustomer(Customer(environment: .sandbox, name: "ada", password: "engine"))
    let customer = ScriptedCustomer(signIns: [
      .credentials(SignInCredentials(account: "ada", password: "wrong")),
      .credentials(SignInCredentials(account: "ada", password: "engine")),
    ])
    var device = try test.device(customer: customer)
    var observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    _ = try await observer.next(.purchased)
    #expect(customer.askedToSignIn.count == 2)
    #expect(try await test.store.transactions().map(\.account) == ["ada"])

    device = try test.device(customer: ScriptedCustomer(signIns: [.cancel]))
    observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    #expect((try await observer.next(.failed).error as? SKError)?.code == .paymentCancelled)
    #expect(try await test.store.charges().count == 1)
  }

  @Test("B2 a price that changed after the confirmation is asked for again, and only the new one is charged")
  func staleQuote() async throws {
    let test = try await TestStore()
    let customer = ScriptedCustomer()
    let device = try test.device(customer: PriceRaisingCustomer(customer, store: test.store, priceOfFive: 1_490))
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    _ = try await observer.next(.purchased)
    #expect(customer.askedToConfirm.map(\.total.amount.rawValue) == [990, 1490])
    #expect(try await test.store.charges().map(\.amount.rawValue) == [1490])
  }

  @Test("B2 a price that changed after the confirmation, and that the customer declines, charges nothing")
  func staleQuoteDeclined() async throws {
    let test = try await TestStore()
    let customer = ScriptedCustomer(confirmations: [.confirm, .cancel])
    let device = try test.device(customer: PriceRaisingCustomer(customer, store: test.store, priceOfFive: 1_490))
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    #expect((try await observer.next(.failed).error as? SKError)?.code == .paymentCancelled)
    #expect(try await test.store.charges().isEmpty)
  }

  @Test("C2 C3 a declined card fails the payment, and a new payment after the card was mended is charged")
  func declined() async throws {
    let test = try await TestStore()
    try await test.store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .declined }
    let device = try test.device()
    let observer = RecordingObserver(finishesEverything: true)
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    #expect((try await observer.next(.failed).error as? SKError)?.code == .unknown)
    try await test.store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .valid }
    device.paymentQueue.add(.of(TestStore.five))
    _ = try await observer.next(.purchased)
    #expect(try await test.store.charges().count == 1)
  }

  @Test("C6 a payment that waited while payments were allowed is not made once they are not")
  func restrictedLater() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    var device = try test.device(storage: .directory(folder.url))
    device.paymentQueue.add(.of(TestStore.five))
    try await device.close()
    device = try test.device(storage: .directory(folder.url), paymentsAllowed: false)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    #expect((try await observer.next(.failed).error as? SKError)?.code == .paymentNotAllowed)
    #expect(try await test.store.charges().isEmpty)
  }

  @Test(
    "C2 a password refused until the customer gives up, or three times, fails with SSServerErrorDomain 5020",
    arguments: [1, 2, 3])
  func signInRefused(refusals: Int) async throws {
    let test = try await TestStore()
    let wrong = SignInAnswer.credentials(SignInCredentials(account: "nobody"))
    let customer = ScriptedCustomer(signIns: Array(repeating: wrong, count: refusals) + [.cancel])
    let device = try test.device(customer: customer)
    let (observer, restoring) = (RecordingObserver(), RestoreObserver())
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    let error = try #require(try await observer.next(.failed).error as NSError?)
    #expect((error.domain, error.code) == ("SSServerErrorDomain", 5020))
    #expect(error.localizedDescription == "Forget Your Password?")
    #expect(customer.askedToSignIn.count == min(3, refusals + 1))

    // Restoring and refreshing the receipt ask for a sign-in, too.
    customer.signInNext(Array(repeating: wrong, count: refusals) + [.cancel])
    device.paymentQueue.add(restoring)
    device.paymentQueue.restoreCompletedTransactions()
    #expect(await restoring.end().end == .failed(domain: "SSServerErrorDomain", code: 5020))
    customer.signInNext(Array(repeating: wrong, count: refusals) + [.cancel])
    await #expect(throws: PaymentFailure.self) { try await device.refreshReceipt() }
    #expect(try await test.store.charges().isEmpty)
  }

  @Test("C1 C2 a sign-in cancelled before any password was refused is a cancellation")
  func signInCancelled() async throws {
    let test = try await TestStore()
    let device = try test.device(customer: ScriptedCustomer(signIns: [.cancel]))
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    #expect((try await observer.next(.failed).error as? SKError)?.code == .paymentCancelled)
  }

  @Test("B2 a quote for another payment is never shown to the customer")
  func foreignQuote() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    connection.rewriteQuotes { quote in
      PaymentQuote(
        payment: PaymentRequest(paymentID: "other", productID: "ten", quantity: 10), account: quote.account,
        displayName: quote.displayName, unitPrice: quote.unitPrice, total: quote.total,
        storefrontCountryCode: quote.storefrontCountryCode, localeIdentifier: quote.localeIdentifier,
        epoch: quote.epoch, authenticationCode: quote.authenticationCode)
    }
    let (customer, retry) = (ScriptedCustomer(), ManualRetry())
    let device = try test.device(through: connection, customer: customer, retry: retry)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    #expect(await retry.nextWait() == 1)
    #expect(customer.askedToConfirm.isEmpty)
    connection.rewriteQuotes(nil)
    retry.release()
    _ = try await observer.next(.purchased)
    #expect(try await test.store.charges().map(\.amount.rawValue) == [990])
  }

  @Test("C6 where payments are not allowed, prices come, and an added payment fails without reaching the store")
  func restricted() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    let customer = ScriptedCustomer()
    let device = try test.device(through: connection, customer: customer, paymentsAllowed: false)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    let failed = try await observer.next(.failed)
    // StoreKit shows a notice, because some apps only log failures.
    #expect(await customer.nextNotice() == .paymentsNotAllowed)
    #expect((failed.error as? SKError)?.code == .paymentNotAllowed)
    #expect(failed.error?.localizedDescription == "In-App Purchases are not allowed")
    #expect(!connection.sent.contains(.quote))
    #expect(!connection.sent.contains(.confirm))
    let products = try await ProductAnswer.of([TestStore.five], on: device)
    #expect(products.products.map(\.productIdentifier) == [TestStore.five])
  }

  @Test("C6 if the store refuses because the device is restricted, StoreKit shows the same one alert")
  func restrictedByStore() async throws {
    let test = try await TestStore()
    _ = try test.store.set(Fault(RestrictedDeviceFault()))
    let customer = ScriptedCustomer()
    let device = try test.device(customer: customer)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    #expect((try await observer.next(.failed).error as? SKError)?.code == .paymentNotAllowed)
    #expect(await customer.nextNotice() == .paymentsNotAllowed)
    #expect(try await !device.buyInAppStore(ProductID(TestStore.five)))
    #expect(customer.notices == [.paymentsNotAllowed, .paymentsNotAllowed], "one for each payment")
    #expect(customer.askedToConfirm.isEmpty)
  }

  @Test("C6 if purchases are restricted while the sheet is open, Buy charges nothing: the payment fails")
  func restrictedAtSheet() async throws {
    let test = try await TestStore()
    let (connection, customer) = (ScriptedConnection(test.store), ScriptedCustomer())
    let sheet = customer.leaveSheetsOpen()
    let device = try test.device(through: connection, customer: customer)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    await sheet.isGiven()
    device.switches.isRestricted = true
    sheet.release()
    #expect((try await observer.next(.failed).error as? SKError)?.code == .paymentNotAllowed)
    #expect(await customer.nextNotice() == .paymentsNotAllowed)
    #expect(customer.notices == [.paymentsNotAllowed])
    #expect(customer.askedToConfirm.count == 1)
    #expect(!connection.sent.contains(.confirm))
    #expect(try await test.store.charges().isEmpty)
  }

  @Test("C6 the payments behind one that is not allowed do not wait until the customer closes the alert")
  func alertStaysOpen() async throws {
    let test = try await TestStore()
    let customer = ScriptedCustomer()
    let alert = customer.leaveAlertsOpen()
    let device = try test.device(customer: customer, paymentsAllowed: false)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    _ = try await observer.next(.failed)
    await alert.isGiven()
    device.paymentsAllowed = true
    device.paymentQueue.add(.of(TestStore.ten))
    #expect(try await observer.next(.purchased).payment.productIdentifier == TestStore.ten)
    alert.release()
  }

  @Test("a payment with requestData is rejected, and one added to a closed device fails; neither reaches the store")
  func rejected() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    let payment = SKMutablePayment()
    payment.productIdentifier = TestStore.five
    payment.requestData = Data([1])
    device.paymentQueue.add(payment)
    #expect((try await observer.next(.failed).error as? SKError)?.code == .unauthorizedRequestData)

    try await device.close()
    device.paymentQueue.add(.of(TestStore.five))
    let failed = try await observer.next(.failed)
    let reason = (failed.error as NSError?)?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(reason?.localizedDescription == StoreKitDeviceError.closed.description)
    device.paymentQueue.finishTransaction(failed)
    #expect(try await observer.next().event == .removed(TestStore.five))
    #expect(!connection.sent.contains(.quote))
  }

  @Test("A4 unknown ids come back as invalid, and do not fail the request")
  func products() async throws {
    let test = try await TestStore()
    let device = try test.device()
    let answer = try await ProductAnswer.of([TestStore.five, TestStore.ten, "unknown"], on: device)
    #expect(Set(answer.products.map(\.productIdentifier)) == [TestStore.five, TestStore.ten])
    #expect(answer.invalidProductIdentifiers == ["unknown"])
    let five = try #require(answer.products.first { $0.productIdentifier == TestStore.five })
    #expect(five.localizedTitle == "5 credits")
    #expect(five.price == 0.99)
    #expect(five.priceLocale.currency?.identifier == "USD")
  }

  @Test("A5 a product request without a network fails in NSURLErrorDomain")
  func productsOffline() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    connection.script(.register, .unreachable)
    let device = try test.device(through: connection)
    do {
      _ = try await ProductAnswer.of([TestStore.five], on: device)
      Issue.record("The request should have failed.")
    } catch {
      #expect((error as NSError).domain == NSURLErrorDomain)
      #expect((error as NSError).code == URLError.Code.cannotConnectToHost.rawValue)
    }
  }
}

/// Sends a product request and waits for its response.
final class ProductAnswer: NSObject, SKProductsRequestDelegate, @unchecked Sendable {
  private var continuation: CheckedContinuation<SKProductsResponse, any Error>?

  static func of(_ identifiers: Set<String>, on device: StoreKitDevice) async throws -> SKProductsResponse {
    let delegate = ProductAnswer()
    defer { withExtendedLifetime(delegate) {} }
    let request = SKProductsRequest(productIdentifiers: identifiers, device: device)
    request.delegate = delegate
    return try await withCheckedThrowingContinuation { continuation in
      delegate.continuation = continuation
      request.start()
      // A request that was cancelled and started again answers once, for the second start.
      request.cancel()
      request.start()
    }
  }

  func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
    continuation?.resume(returning: response)
  }

  func request(_ request: SKRequest, didFailWithError error: any Error) {
    continuation?.resume(throwing: error)
  }
}

/// Raises a price after the first confirmation, before it reaches the store.
private struct PriceRaisingCustomer: StoreCustomer {
  private let base: ScriptedCustomer
  private let store: EmulatedAppStore
  private let priceOfFive: Int64

  init(_ base: ScriptedCustomer, store: EmulatedAppStore, priceOfFive: Int64) {
    self.base = base
    self.store = store
    self.priceOfFive = priceOfFive
  }

  func signIn(_ reason: SignInReason) async -> SignInAnswer { await base.signIn(reason) }

  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    let answer = await base.confirm(quote)
    do {
      try await store.serve(TestStore.bundleID, catalog: [TestStore.catalog(priceOfFive: priceOfFive)])
    } catch {
      return .cancel
    }
    return answer
  }
}
