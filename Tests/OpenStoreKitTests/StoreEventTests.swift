import AppStoreEmulator
import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("What begins in the store and reaches a running app", .timeLimit(.minutes(30)))
struct StoreEventTests {
  /// Returns a device that is signed in and has an observer.
  private func listening(
    _ test: TestStore, _ observer: any SKPaymentTransactionObserver, storage: StoreKitDevice.Storage = .inMemory
  ) async throws -> StoreKitDevice {
    let device = try test.device(storage: storage)
    try await device.signIn(SignInCredentials(account: "customer"))
    device.paymentQueue.add(observer)
    return device
  }

  @Test("B4 a purchase made outside the app reaches a running app")
  func outsidePurchase() async throws {
    let test = try await TestStore()
    let observer = RecordingObserver()
    let device = try await listening(test, observer)
    // This purchase may exist before the queue first asks the store. It is then delivered by that first request.
    _ = try await test.store.purchase(
      ProductID(TestStore.five), of: TestStore.bundleID, for: "customer", in: .sandbox)
    let first = try await observer.next(.purchased)
    device.paymentQueue.finishTransaction(first)
    _ = try await test.store.purchase(
      ProductID(TestStore.ten), of: TestStore.bundleID, for: "customer", in: .sandbox)
    let second = try await observer.next(.purchased)
    #expect(second.payment.productIdentifier == TestStore.ten)
    #expect(second.transactionIdentifier != first.transactionIdentifier)
  }

  @Test("a purchase begun in the App Store goes on when the app says so, with the ordinary sheet and one charge")
  func promotedAccepted() async throws {
    let test = try await TestStore()
    let (events, observer) = (EventObserver(acceptsStorePayments: true), RecordingObserver())
    let device = try await listening(test, events)
    device.paymentQueue.add(observer)
    try await test.store.beginPromotedPurchase(of: ProductID(TestStore.five), on: device.installationID)
    #expect(await events.next() == .storePayment(product: TestStore.five, quantity: 1, price: "0.99"))
    _ = try await observer.next(.purchasing)
    let purchased = try await observer.next(.purchased)
    #expect(purchased.payment.productIdentifier == TestStore.five)
    #expect(try await test.store.charges().count == 1)
  }

  @Test(
    "C6 a purchase begun in the App Store while purchases are restricted shows one alert, accepted by the app or not",
    arguments: [true, false])
  func promotedWhileRestricted(isAccepted: Bool) async throws {
    let test = try await TestStore()
    let customer = ScriptedCustomer()
    let device = try test.device(customer: customer, paymentsAllowed: false)
    try await device.signIn(SignInCredentials(account: "customer"))
    let (events, observer) = (EventObserver(acceptsStorePayments: isAccepted), RecordingObserver())
    device.paymentQueue.add(events)
    device.paymentQueue.add(observer)
    try await test.store.beginPromotedPurchase(of: ProductID(TestStore.five), on: device.installationID)
    #expect(await events.next() == .storePayment(product: TestStore.five, quantity: 1, price: "0.99"))
    if isAccepted { _ = try await observer.next(.failed) }
    #expect(await customer.nextNotice() == .paymentsNotAllowed)
    // A payment of the app, after it.
    device.paymentQueue.add(.of(TestStore.ten))
    _ = try await observer.next(.failed)
    #expect(await customer.nextNotice() == .paymentsNotAllowed)
    #expect(customer.notices == [.paymentsNotAllowed, .paymentsNotAllowed], "one for each payment")
    #expect(try await test.store.charges().isEmpty)
    try await device.close()
  }

  @Test("a purchase begun in the App Store that the app puts off can be made later with the same payment")
  func promotedLater() async throws {
    let test = try await TestStore()
    let (events, observer) = (EventObserver(), RecordingObserver())
    let device = try await listening(test, events)
    device.paymentQueue.add(observer)
    try await test.store.beginPromotedPurchase(of: ProductID(TestStore.five), on: device.installationID)
    _ = await events.next()
    #expect(device.paymentQueue.transactions.isEmpty)
    device.paymentQueue.add(try #require(events.offeredPayments.first))
    _ = try await observer.next(.purchased)
    #expect(try await test.store.charges().count == 1)
  }

  @Test("a purchase begun in the App Store while the app was closed is offered at the next launch, and only once")
  func promotedWhileClosed() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    let first = EventObserver(acceptsStorePayments: true)
    var device = try await listening(test, first, storage: .directory(folder.url))
    let installation = device.installationID
    try await device.close()
    try await test.store.beginPromotedPurchase(of: ProductID(TestStore.five), on: installation)

    let (second, observer) = (
      EventObserver(acceptsStorePayments: true), RecordingObserver(finishesEverything: true)
    )
    device = try await listening(test, second, storage: .directory(folder.url))
    device.paymentQueue.add(observer)
    #expect(await second.next() == .storePayment(product: TestStore.five, quantity: 1, price: "0.99"))
    _ = try await observer.next(.purchased)
    try await device.close()

    let (third, last) = (EventObserver(acceptsStorePayments: true), RecordingObserver(finishesEverything: true))
    device = try await listening(test, third, storage: .directory(folder.url))
    device.paymentQueue.add(last)
    try await test.store.beginPromotedPurchase(of: ProductID(TestStore.ten), on: installation)
    #expect(await third.next() == .storePayment(product: TestStore.ten, quantity: 1, price: "1.99"))
    _ = try await last.next(.purchased)
    #expect(try await test.store.charges().count == 2)
  }

  @Test("a promoted purchase is offered once, also where the receipt for a revocation beside it does not come at first")
  func promotedOnce() async throws {
    let test = try await TestStore.lasting()
    let folder = TemporaryFolder()
    let owned = try await test.boughtLongAgo(TestStore.sepia)
    var device = try await listening(test, RecordingObserver.lasting, storage: .directory(folder.url))
    device.paymentQueue.remove(RecordingObserver.lasting)
    try await device.close()
    try await test.store.beginPromotedPurchase(of: ProductID(TestStore.five), on: device.installationID)
    try await test.store.refund(owned)

    let connection = ScriptedConnection(test.store)
    connection.script(.refreshReceipt, .unreachable)
    let (events, retry) = (EventObserver(), ManualRetry())
    device = try test.device(through: connection, storage: .directory(folder.url), retry: retry)
    device.paymentQueue.add(events)
    #expect(await retry.nextWait() == 1)
    retry.release()
    while await events.next() != .revoked([TestStore.sepia]) {}
    #expect(events.offeredPayments.count == 1)
  }

  @Test("a changed storefront is reported to the observers, and read from the queue")
  func storefront() async throws {
    let test = try await TestStore()
    let events = EventObserver()
    let device = try await listening(test, events)
    #expect(device.paymentQueue.storefront?.countryCode == "USA")
    #expect(device.paymentQueue.storefront?.identifier == "143441")
    try await test.store.changeCustomer("customer", .sandbox) { $0.storefrontCountryCode = "DEU" }
    #expect(await events.next() == .storefrontChanged("DEU"))
  }

  @Test("before the store has been reached there is no storefront")
  func noStorefront() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    connection.script(.register, .unreachable, .unreachable, .unreachable)
    let device = try test.device(through: connection)
    #expect(device.paymentQueue.storefront == nil)
  }

  @Test("returning to the foreground redelivers unfinished transactions to every observer")
  func foreground() async throws {
    let test = try await TestStore()
    let device = try test.device()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    let purchased = try await observer.next(.purchased)
    device.applicationWillEnterForeground()
    #expect(try await observer.next(.purchased) === purchased)
  }
}

@Suite("A storefront that changes while a payment is under way", .timeLimit(.minutes(30)))
struct StorefrontChangeTests {
  /// Moves the customer to another storefront at the first confirmation, before it is sent.
  private struct MovingCustomer: StoreCustomer {
    let base: ScriptedCustomer
    let store: EmulatedAppStore

    func signIn(_ reason: SignInReason) async -> SignInAnswer { await base.signIn(reason) }

    func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
      if base.askedToConfirm.isEmpty {
        _ = try? await store.changeCustomer("customer", .sandbox) { $0.storefrontCountryCode = "DEU" }
      }
      return await base.confirm(quote)
    }
  }

  private final class Delegate: NSObject, SKPaymentQueueDelegate, Sendable {
    private let answer: Bool
    private let asked = LockedValue<[String]>([])

    init(_ answer: Bool) {
      self.answer = answer
      super.init()
    }

    var storefronts: [String] { asked.value }

    func paymentQueue(
      _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction, in newStorefront: SKStorefront
    ) -> Bool {
      dispatchPrecondition(condition: .onQueue(.main))
      asked.withLock { $0.append("\(transaction.payment.productIdentifier) \(newStorefront.countryCode)") }
      return answer
    }
  }

  private func buy(
    delegate: Delegate?
  ) async throws -> (SKPaymentTransaction, ScriptedCustomer, EmulatedAppStore) {
    let test = try await TestStore()
    let customer = ScriptedCustomer()
    let device = try test.device(customer: MovingCustomer(base: customer, store: test.store))
    device.paymentQueue.delegate = delegate
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    while true {
      let reported = try await observer.next()
      if reported.transaction.transactionState != .purchasing { return (reported.transaction, customer, test.store) }
    }
  }

  @Test("goes on where the delegate says so, or there is none: the customer confirms the new price")
  func goesOn() async throws {
    for delegate in [Delegate(true), nil] {
      let (transaction, customer, store) = try await buy(delegate: delegate)
      #expect(transaction.transactionState == .purchased)
      #expect(delegate.map(\.storefronts) ?? ["\(TestStore.five) DEU"] == ["\(TestStore.five) DEU"])
      #expect(customer.askedToConfirm.map(\.total.currency) == ["USD", "EUR"])
      #expect(try await store.charges().map(\.currency) == ["EUR"])
    }
  }

  @Test("fails with storeProductNotAvailable where the delegate says no; nothing is charged")
  func givesUp() async throws {
    let delegate = Delegate(false)
    let (transaction, customer, store) = try await buy(delegate: delegate)
    #expect((transaction.error as? SKError)?.code == .storeProductNotAvailable)
    #expect(customer.askedToConfirm.count == 1)
    #expect(try await store.charges().isEmpty)
  }
}
