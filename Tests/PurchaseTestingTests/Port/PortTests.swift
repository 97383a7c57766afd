import PurchaseTesting
import StoreKit
import Testing

/// Runs the ported app of this folder. Each test needs a process of its own, because the app uses the current device.
@Suite("An app's code of iOS, line by line", .timeLimit(.minutes(30)))
struct PortTests {
  @Test("I1 B8 it fetches prices, buys, is cancelled, and restores, with import StoreKit alone")
  func app() async {
    await #expect(processExitsWith: .exitCode(42)) {
      let store = try await TestStore(
        StoreKitConfiguration(products: [
          ProductDefinition(productID: "coins", type: .consumable, price: Milliunits(990)),
          ProductDefinition(productID: "filter", type: .nonConsumable, price: Milliunits(1_990)),
        ]), bundleID: "com.example.shop")
      let device = try TestDevice(store)
      let controller = ConsumableViewController(InAppPurchaseManager())
      let fetched = PortNotifications(.InAppPurchaseManagerProductsFetched)
      let failed = PortNotifications(.InAppPurchaseManagerTransactionFailed)
      controller.viewWillAppear()
      await fetched.next()
      guard controller.buttonTitle == "Buy $0.99", controller.isButtonEnabled else { exit(1) }
      controller.iap.purchaseProduct(InAppPurchaseManager.fiveCreditsId)
      controller.iap.purchaseProduct(InAppPurchaseManager.filterId)
      try await device.finished("filter")
      guard CreditManager.balance == 5, PhotoFilterManager.purchased == ["filter"] else { exit(2) }
      device.customer.confirms = false
      controller.iap.purchaseProduct(InAppPurchaseManager.fiveCreditsId)
      await failed.next()
      guard controller.alert == "SKErrorDomain 2" else { exit(3) }
      PhotoFilterManager.purchased = []
      controller.iap.restore()
      try await device.restored()
      guard PhotoFilterManager.purchased == ["filter"] else { exit(4) }
      // C4: the store is away.
      device.customer.waits = false
      try store.beginOutage()
      let down = PortNotifications(.InAppPurchaseManagerRequestFailed)
      controller.iap.requestProductData(controller.products)
      await down.next()
      guard controller.alert == "NSURLErrorDomain -1004", controller.buttonTitle == "Network down?" else { exit(5) }
      controller.viewWillDisappear()
      exit(42)
    }
  }

  @Test("I2 without a configured store, its request fails with an error that its cast takes")
  func unconfigured() async {
    await #expect(processExitsWith: .exitCode(42)) {
      for name in ["OPENSTOREKIT_URL", "OPENSTOREKIT_BUNDLE_ID"] { unsetenv(name) }
      nonisolated(unsafe) let controller = ConsumableViewController(InAppPurchaseManager())
      let failed = PortNotifications(.InAppPurchaseManagerRequestFailed)
      // On the main queue, as UIKit calls it: the request cannot fail before the screen observes.
      await MainActor.run { controller.viewWillAppear() }
      await failed.next()
      guard controller.alert == "SKErrorDomain 0" else { exit(1) }
      controller.iap.restore()
      await failed.next()
      exit(controller.buttonTitle == "Network down?" ? 42 : 2)
    }
  }

  @Test("C4 a payment that waits for the store fails after the device's time, and the customer can cancel it before")
  func waiting() async throws {
    let store = try await TestStore(
      StoreKitConfiguration(products: [
        ProductDefinition(productID: "coins", type: .consumable, price: Milliunits(990))
      ]), bundleID: "com.example.shop")
    let device = try TestDevice(store, storeTimeout: .milliseconds(50), isCurrent: false)
    let shop = Shop(device.queue)
    try store.beginOutage()
    shop.buy("coins")
    let failed = try await device.finished("coins")
    #expect((failed.error as? SKError)?.code == .unknown)
    #expect(failed.error?.localizedDescription == "Cannot connect to iTunes Store")
    let patient = try TestDevice(store, isCurrent: false)
    patient.customer.waits = false
    let second = Shop(patient.queue)
    second.buy("coins")
    #expect((try await patient.finished("coins").error as? SKError)?.code == .paymentCancelled)
    #expect(patient.customer.waitedFor.map(\.productID) == ["coins"])
    #expect(try await store.appStore.charges().isEmpty)
  }
}

/// Waits for notifications of one name, one by one. The app's own observers are called first.
private final class PortNotifications: Sendable {
  private let posted = AsyncStream.makeStream(of: Void.self)

  init(_ name: NSNotification.Name) {
    _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [posted] _ in
      DispatchQueue.main.async { posted.continuation.yield() }
    }
  }

  func next() async { _ = await posted.stream.first { _ in true } }
}
