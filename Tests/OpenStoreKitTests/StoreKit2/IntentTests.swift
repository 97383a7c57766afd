import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("StoreKit 2: purchases that the customer begins in the App Store", .timeLimit(.minutes(30)))
struct IntentTests {
  private func intents(on device: StoreKitDevice) -> PurchaseIntent.PurchaseIntents.AsyncIterator {
    PurchaseIntent.PurchaseIntents(on: device).makeAsyncIterator()
  }

  private func begin(
    _ product: String, _ offer: PaymentOffer? = nil, in test: TestStore, on device: StoreKitDevice
  ) async throws {
    try await test.store.beginPromotedPurchase(of: ProductID(product), offer: offer, on: device.installationID)
  }

  @Test("an intent has the product, which the app then purchases")
  func intent() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    try await device.signIn(SignInCredentials(account: "customer"))
    var first = intents(on: device)
    try await begin(TestStore.five, in: test, on: device)
    let intent: PurchaseIntent = try #require(await first.next())
    #expect(intent.id == TestStore.five && intent.offer == nil)
    #expect(try await intent.product == device.product(TestStore.five))
    #expect(try await intent == PurchaseIntent(product: device.product(TestStore.five), offer: nil))
    guard case .success = try await intent.product.purchase() else {
      Issue.record("not purchased")
      return
    }
    #expect(try await test.chargeCount() == 1)
  }

  @Test("a win-back offer that was chosen in the App Store comes with the intent")
  func winBack() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let bought = try await device.purchase(TestStore.monthly)
    try await device.changeSubscription(TransactionID(bought.id), .autoRenew(isOn: false))
    try await test.nextStep()
    var first = intents(on: device)
    try await begin(TestStore.monthly, PaymentOffer(kind: .winBack, identifier: "back"), in: test, on: device)
    let intent = try #require(await first.next())
    let offer = try #require(intent.offer)
    #expect(offer.id == "back" && offer.type == .winBack)
    guard case .success(.verified(let back)) = try await intent.product.purchase(options: [.winBackOffer(offer)]) else {
      Issue.record("not purchased")
      return
    }
    #expect(back.offer?.id == "back")
  }

  @Test("an intent that no iterator has received is stored, and arrives once, at the next launch")
  func stored() async throws {
    let test = try await TestStore.club()
    let folder = TemporaryFolder()
    var device = try test.clubDevice(storage: .directory(folder.url))
    try await device.purchase(TestStore.five)
    // The first page of changes is history, which announces nothing.
    _ = try await device.all()
    var updates = device.transactionUpdates()
    try await begin(TestStore.sepia, in: test, on: device)
    // A purchase on another device arrives after the intent was stored.
    let greyscale = try await test.boughtElsewhere(TestStore.greyscale)
    #expect(try await updates.nextTransaction().id == greyscale)
    while try device.journal.pendingIntents().isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    try await device.close()

    device = try test.clubDevice(storage: .directory(folder.url))
    var first = intents(on: device)
    #expect(await first.next()?.id == TestStore.sepia)
    #expect(try device.journal.pendingIntents().isEmpty)
    try await device.close()
    #expect(await first.next() == nil)
  }

  @Test("a product that cannot be loaded yet is requested again")
  func outage() async throws {
    let test = try await TestStore.club()
    let connection = ScriptedConnection(test.store)
    let device = try test.clubDevice(through: connection)
    try await device.signIn(SignInCredentials(account: "customer"))
    var first = intents(on: device)
    connection.script(.products, .unreachable)
    try await begin(TestStore.five, in: test, on: device)
    #expect(await first.next()?.id == TestStore.five)
  }
}
