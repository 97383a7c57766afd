import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

// A process has one current device, so each test is a process of its own.
@Suite("StoreKit 2: the current device", .timeLimit(.minutes(30)))
struct CurrentDeviceTests {
  @Test("Apple's static members use the current device")
  func statics() async {
    await #expect(processExitsWith: .exitCode(42)) {
      let test = try await TestStore.club()
      let device = try test.clubDevice()
      StoreKitDevice.current = device
      try #require(AppStore.canMakePayments && AppStore.deviceVerificationID == device.deviceID)
      var updates = Transaction.updates.makeAsyncIterator()
      var statuses = SubscriptionStatus.updates.makeAsyncIterator()
      let products = try await Product.products(for: Set([TestStore.sepia, TestStore.monthly]))
      var bought: [String: Transaction] = [:]
      for product in products {
        guard case .success(.verified(let transaction)) = try await product.purchase() else { exit(1) }
        bought[product.id] = transaction
        await transaction.finish()
      }
      // A list refreshes for a second at most, which a busy machine may need.
      _ = await device.refresh()
      let sepia = try #require(bought[TestStore.sepia])
      let monthly = try #require(bought[TestStore.monthly])
      var counts: [Int] = []
      for sequence in [
        Transaction.all, Transaction.all(for: TestStore.sepia), Transaction.currentEntitlements,
        Transaction.currentEntitlements(for: TestStore.sepia), Transaction.unfinished,
      ] {
        var count = 0
        for await _ in sequence { count += 1 }
        counts.append(count)
      }
      try #require(counts == [2, 1, 2, 1, 0])
      try #require(await Transaction.latest(for: TestStore.sepia)?.verifiedID == sepia.id)
      try #require(await Transaction.currentEntitlement(for: TestStore.sepia)?.verifiedID == sepia.id)
      try #require(try await Product.SubscriptionInfo.status(for: TestStore.group).count == 1)
      try #require(try await Product.SubscriptionInfo.status(transactionID: monthly.id)?.state == .subscribed)
      try #require(await !Product.SubscriptionInfo.isEligibleForIntroOffer(for: TestStore.group))
      var groups = 0
      for await _ in SubscriptionStatus.all { groups += 1 }
      try #require(groups == 1)
      try await AppStore.sync()
      try #require(try await AppTransaction.shared.payloadValue.bundleID == TestStore.bundleID.rawValue)
      _ = try await AppTransaction.refresh()
      try #require(await Storefront.current?.countryCode == "USA")
      try await Product.PromotionInfo.updateProductOrder(byID: [TestStore.sepia])
      try await Product.PromotionInfo.updateProductVisibility(.visible, for: TestStore.sepia)
      let order = try await Product.PromotionInfo.currentOrder
      try #require(order.map(\.visibility) == [.visible])
      try await Product.PromotionInfo.updateAll(order)

      var storefronts = Storefront.updates.makeAsyncIterator()
      var intents = PurchaseIntent.intents.makeAsyncIterator()
      var messages = Message.messages.makeAsyncIterator()
      try await test.store.refund(TransactionID(sepia.id))
      let refunded = await updates.next()
      try #require(try refunded?.payloadValue.revocationDate != nil)
      try await test.store.beginPromotedPurchase(of: ProductID(TestStore.five), on: device.installationID)
      try #require(await intents.next()?.id == TestStore.five)
      _ = try await test.store.changeCustomer("customer", .sandbox) { $0.storefrontCountryCode = "DEU" }
      try #require(await storefronts.next()?.countryCode == "DEU")
      try await test.pay(.declined)
      try await test.nextStep()
      while await statuses.next()?.state != .inBillingRetryPeriod {}
      try #require(await messages.next()?.reason == .billingIssue)
      exit(42)
    }
  }

  @Test("without a device, lists are empty, and calls throw an error that says what to set")
  func noDevice() async {
    await #expect(processExitsWith: .exitCode(42)) {
      for name in ["OPENSTOREKIT_URL", "OPENSTOREKIT_BUNDLE_ID"] { unsetenv(name) }
      for await _ in Transaction.all { exit(1) }
      for await _ in Transaction.currentEntitlements { exit(2) }
      for await _ in SubscriptionStatus.all { exit(3) }
      try #require(await Transaction.latest(for: "a") == nil)
      try #require(await Storefront.current?.id == nil && AppStore.deviceVerificationID == nil)
      try #require(await !Product.SubscriptionInfo.isEligibleForIntroOffer(for: "g"))
      do {
        _ = try await Product.products(for: ["a"])
        exit(4)
      } catch StoreKitError.systemError(let error) {
        try #require("\(error)".contains("OPENSTOREKIT_URL"))
      }
      exit(42)
    }
  }

  @Test("iterators that are made before there is a device receive what the device has for them")
  func earlyIterators() async {
    await #expect(processExitsWith: .exitCode(42)) {
      for name in ["OPENSTOREKIT_URL", "OPENSTOREKIT_BUNDLE_ID"] { unsetenv(name) }
      let test = try await TestStore.club()
      let folder = TemporaryFolder()
      let earlier = try test.clubDevice(storage: .directory(folder.url))
      let five = try await earlier.purchase(TestStore.five, finishes: false)
      try await earlier.close()

      let updates = Task { () -> Transaction? in
        for await result in Transaction.updates { return try? result.payloadValue }
        return nil
      }
      while DeviceScope.process.updates.transactions.count == 0 { await Task.yield() }
      StoreKitDevice.current = try test.clubDevice(storage: .directory(folder.url))
      try #require(await updates.value?.id == five.id)
      exit(42)
    }
  }
}
