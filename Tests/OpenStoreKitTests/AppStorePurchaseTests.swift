import AppStoreEmulator
import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("Purchases in the App Store", .timeLimit(.minutes(30)))
struct AppStorePurchaseTests {
  private let plan = ProductID(TestStore.monthly)

  /// A device on which a subscription was bought before and refunded.
  private func lapsed(
    _ customer: ScriptedCustomer, paymentsAllowed: Bool = true
  ) async throws -> (test: TestStore, device: StoreKitDevice, observer: RecordingObserver) {
    let test = try await TestStore.lasting()
    try await test.store.refund(try await test.boughtLongAgo(TestStore.monthly))
    let device = try test.device(customer: customer, paymentsAllowed: paymentsAllowed)
    try await device.signIn(SignInCredentials(account: "customer"))
    let observer = RecordingObserver(finishesEverything: true)
    device.paymentQueue.add(observer)
    return (test, device, observer)
  }

  @Test("A1 a win-back offer that is bought in the App Store reaches the app as a transaction, and is charged once")
  func winBack() async throws {
    let customer = ScriptedCustomer()
    let (test, device, observer) = try await lapsed(customer)
    let summary = try #require(try await device.subscriptions().subscriptions.first)
    #expect(summary.state == .revoked && summary.winBackOffers.map(\.offer.identifier) == ["back"])
    #expect(try await device.buyInAppStore(plan, offer: PaymentOffer(kind: .winBack, identifier: "back")))
    let transaction = try await observer.next(.purchased)
    #expect(transaction.payment.productIdentifier == TestStore.monthly)
    #expect(customer.askedToConfirm.map(\.total.amount) == [Milliunits(1_490)])
    #expect(try await test.store.charges().map(\.amount.rawValue) == [1_490, 4_990])
    #expect(try await device.subscriptions().subscriptions.first?.state == .active)
    let id = try #require(try await device.subscriptions().subscriptions.first?.originalTransactionID)
    try await device.changeSubscription(id, .autoRenew(isOn: false))
    #expect(try await device.subscriptions().subscriptions.first?.isAutoRenewOn == false)
  }

  @Test("A1 C4 an answer with a purchase of the App Store that comes again begins no second purchase")
  func replayed() async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    let answered = LockedValue<DeviceChanges?>(nil)
    connection.rewriteDeviceChanges { changes in
      answered.withLock { answered in
        if let answered { return answered }
        if changes.changes.contains(where: { $0.kind == .promotedPurchase }) { answered = changes }
        return changes
      }
    }
    let (retry, problems) = (ManualRetry(), Problems())
    let device = try test.device(through: connection, retry: retry, problems: problems)
    var intents = PurchaseIntent.PurchaseIntents(on: device).makeAsyncIterator()
    try await device.signIn(SignInCredentials(account: "customer"))
    try await test.store.beginPromotedPurchase(of: ProductID(TestStore.five), on: device.installationID)
    #expect(await intents.next()?.id == TestStore.five)
    _ = await retry.nextWait()
    #expect(problems.all.contains { $0.description.contains("changes that had come before") })
    #expect(try device.journal.pendingIntents().isEmpty)
    try await device.close()
  }

  @Test("A1 an offer code is found among the products; one that no product has is refused")
  func code() async throws {
    let (test, device, observer) = try await lapsed(ScriptedCustomer())
    await #expect(throws: StoreRefusal.self) { try await device.redeemOfferCode("NONE", among: [plan]) }
    #expect(try await device.redeemOfferCode("TEA", among: [ProductID(TestStore.five), plan]))
    _ = try await observer.next(.purchased)
    #expect(try await test.store.transactions().first?.record.offerIdentifier == "TEA")
    #expect(try await test.store.charges().count == 1, "the code's month is free")
  }

  @Test("A1 nothing is charged if the customer cancels, or if purchases are restricted")
  func cancelled() async throws {
    let customer = ScriptedCustomer(confirmations: [.cancel])
    let (test, device, _) = try await lapsed(customer)
    #expect(try await device.buyInAppStore(plan) == false)
    device.paymentsAllowed = false
    #expect(try await device.buyInAppStore(plan) == false)
    #expect(await customer.nextNotice() == .paymentsNotAllowed)
    #expect(try await test.store.charges().count == 1)
  }

  @Test("A1 B4 an app that was closed during 230 renewals receives each of them at its next launch, once")
  func manyRenewals() async throws {
    let folder = TemporaryFolder()
    let test = try await TestStore.lasting()
    let first = try test.device(storage: .directory(folder.url), customer: ScriptedCustomer())
    try await first.signIn(SignInCredentials(account: "customer"))
    let bought = RecordingObserver(finishesEverything: true)
    first.paymentQueue.add(bought)
    #expect(try await first.buyInAppStore(plan))
    _ = try await bought.next(.purchased)
    let id = try #require(try await first.subscriptions().subscriptions.first?.originalTransactionID)
    try await first.close()
    for _ in 0..<230 {
      let end = try await test.store.subscription(id).periodEnd
      try await test.store.changeClock(.to(end))
    }

    let device = try test.device(storage: .directory(folder.url), customer: ScriptedCustomer())
    let observer = RecordingObserver(finishesEverything: true)
    device.paymentQueue.add(observer)
    var ids: Set<String> = []
    for _ in 0..<230 { ids.insert(try #require(try await observer.next(.purchased).transactionIdentifier)) }
    #expect(ids.count == 230)
    #expect(try await test.store.charges().count == 231)
  }
}
