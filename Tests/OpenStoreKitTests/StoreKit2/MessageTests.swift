import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("StoreKit 2: messages of the App Store", .timeLimit(.minutes(30)))
struct MessageTests {
  private func messages(on device: StoreKitDevice) -> Message.Messages.AsyncIterator {
    Message.Messages(on: device).makeAsyncIterator()
  }

  @Test("a billing problem is a message; displaying it shows it to the customer, and it comes once on an installation")
  func billingIssue() async throws {
    let test = try await TestStore.club()
    let customer = ScriptedCustomer()
    let folder = TemporaryFolder()
    var device = try test.clubDevice(storage: .directory(folder.url), customer: customer)
    var first = messages(on: device)
    try await device.purchase(TestStore.basic)
    try await test.pay(.declined)
    try await test.nextStep()
    let message: Message = try #require(await first.next())
    #expect(message.reason == .billingIssue)
    await device.display(message)
    #expect(await customer.nextNotice() == .message(.billingIssue))
    try await device.close()
    #expect(await first.next() == nil)
    device = try test.clubDevice(storage: .directory(folder.url), customer: customer)
    _ = try await device.status()
    #expect(try device.journal.pendingMessages().isEmpty)
    try await device.close()
  }

  @Test("an announced price increase and an expired subscription are messages, too; a late iterator receives them")
  func others() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let bought = try await device.purchase(TestStore.monthly)
    var keeping = messages(on: device)
    var dearer = ProductChange()
    dearer.price = Milliunits(5_990)
    try await test.store.changeProduct(ProductID(TestStore.monthly), of: TestStore.bundleID, dearer)
    _ = try await test.store.changeSubscription(
      TransactionID(bought.originalID), by: [.announcePriceIncrease(needsConsent: true)])
    _ = try await device.status()
    var late = messages(on: device)
    #expect(await late.next()?.reason == .priceIncreaseConsent)
    #expect(await keeping.next()?.reason == .priceIncreaseConsent)
    try await device.changeSubscription(TransactionID(bought.id), .autoRenew(isOn: false))
    try await test.nextStep()
    _ = try await device.status()
    #expect(await keeping.next()?.reason == .winBackOffer)
  }

  @Test("if the app does not listen, StoreKit shows a message itself")
  func shownBySystem() async throws {
    let test = try await TestStore.club()
    let customer = ScriptedCustomer()
    let device = try test.clubDevice(customer: customer)
    var updates = device.statusUpdates()
    try await device.purchase(TestStore.basic)
    // The first statuses are no change.
    _ = try await device.status()
    try await test.pay(.declined)
    try await test.nextStep()
    while await updates.next()?.state != .inBillingRetryPeriod {}
    #expect(await customer.nextNotice() == .message(.billingIssue))
  }

  @Test(
    "the reasons have the numbers of their order, and texts",
    arguments: [
      (Message.Reason.generic, 0), (.priceIncreaseConsent, 1), (.billingIssue, 2), (.winBackOffer, 3),
    ])
  func reasons(reason: Message.Reason, number: Int) {
    #expect(reason.rawValue == number && reason == .init(rawValue: number))
    #expect(reason.localizedDescription != Message.Reason(rawValue: 9).localizedDescription)
  }
}
