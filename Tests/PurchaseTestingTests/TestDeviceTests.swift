import Foundation
import PurchaseTesting
import StoreKit
import Testing

// No device of these tests is the process's current one, because tests of the sample app run beside them and use that.
@Suite("A test's store and device", .timeLimit(.minutes(30)))
struct TestDeviceTests {
  private static func store() async throws -> TestStore {
    try await TestStore(
      StoreKitConfiguration(products: [
        ProductDefinition(productID: "coins", type: .consumable, price: Milliunits(990)),
        ProductDefinition(productID: "filter", type: .nonConsumable, price: Milliunits(1_990)),
      ]), bundleID: "com.example.shop")
  }

  @Test("A purchase is charged once, and awaited until the app has finished it")
  func purchase() async throws {
    let store = try await Self.store()
    let device = try TestDevice(store, isCurrent: false)
    let shop = Shop(device.queue)
    shop.buy("coins")
    let transaction = try await device.finished("coins")
    #expect(transaction.transactionState == .purchased)
    #expect(await shop.products == ["coins"])
    #expect(try await store.appStore.charges().map(\.amount.rawValue) == [990])
    #expect(device.customer.sheets.map(\.payment.productID) == ["coins"])
  }

  @Test("A customer who cancels pays nothing, and the error of StoreKit reaches the app")
  func cancel() async throws {
    let store = try await Self.store()
    let device = try TestDevice(store, isCurrent: false)
    device.customer.confirms = false
    let shop = Shop(device.queue)
    shop.buy("coins")
    let transaction = try await device.finished("coins")
    #expect((transaction.error as? SKError)?.code == .paymentCancelled)
    #expect(try await store.appStore.charges().isEmpty)
    #expect(await shop.products == [])
  }

  @Test("A customer who does not sign in buys nothing")
  func noSignIn() async throws {
    let store = try await Self.store()
    let device = try TestDevice(store, isCurrent: false)
    device.customer.signsIn = false
    Shop(device.queue).buy("coins")
    try await device.updated("coins", to: .failed)
    #expect(device.customer.sheets.isEmpty)
  }

  @Test("During an outage nothing is charged; after it the purchase continues by itself")
  func outage() async throws {
    let store = try await Self.store()
    let device = try TestDevice(store, isCurrent: false)
    let shop = Shop(device.queue)
    try store.beginOutage()
    shop.buy("coins")
    try await device.updated("coins", to: .purchasing)
    #expect(try await store.appStore.charges().isEmpty)
    try store.endOutage()
    try await device.finished("coins")
    #expect(try await store.appStore.charges().count == 1)
    #expect(await shop.products == ["coins"])
  }

  @Test("An app that ends before it finishes a transaction receives it again, and the customer is charged once")
  func relaunch() async throws {
    let store = try await Self.store()
    let device = try TestDevice(store, isCurrent: false)
    let payment = SKMutablePayment()
    payment.productIdentifier = "coins"
    device.queue.add(payment)
    let first = try await device.updated("coins", to: .purchased)

    try await device.relaunch()
    let shop = Shop(device.queue)
    let second = try await device.finished("coins")
    #expect(second.transactionIdentifier == first.transactionIdentifier)
    #expect(await shop.products == ["coins"])
    #expect(try await store.appStore.charges().count == 1)
  }

  @Test("A purchase whose answer was lost is delivered, and charged once")
  func lostAnswer() async throws {
    let store = try await Self.store()
    let device = try TestDevice(store, isCurrent: false)
    _ = try store.appStore.set(Fault(AnswerLostFault(), count: 1))
    let shop = Shop(device.queue)
    shop.buy("coins")
    try await device.finished("coins")
    #expect(await shop.products == ["coins"])
    #expect(try await store.appStore.charges().count == 1)
  }

  @Test("A second device restores what the first one bought, and a refund revokes it on both")
  func secondDevice() async throws {
    let store = try await Self.store()
    let phone = try TestDevice(store, isCurrent: false)
    Shop(phone.queue).buy("filter")
    try await phone.updated("filter", to: .purchased)

    let tablet = try TestDevice(store, isCurrent: false)
    let shop = Shop(tablet.queue)
    tablet.queue.restoreCompletedTransactions()
    try await tablet.restored()
    #expect(await shop.products == ["filter"])

    try await store.refund("filter")
    #expect(try await tablet.revoked() == ["filter"])
    #expect(try await phone.revoked() == ["filter"])
    await #expect(throws: PurchaseTestError.nothingToRefund("filter")) { try await store.refund("filter") }
  }

  @Test("A restore during an outage throws the error that the app receives")
  func failedRestore() async throws {
    let store = try await Self.store()
    let device = try TestDevice(store, isCurrent: false)
    try store.beginOutage()
    device.queue.restoreCompletedTransactions()
    await #expect { try await device.restored() } throws: { ($0 as NSError).domain == NSURLErrorDomain }
  }

  @Test("Ask to Buy defers a purchase until a parent decides", arguments: [true, false])
  func askToBuy(isApproved: Bool) async throws {
    let store = try await Self.store()
    let device = try TestDevice(store, isCurrent: false)
    await #expect(throws: PurchaseTestError.noPendingApproval) {
      try await store.decidePendingApprovals(isApproved: true)
    }
    try await store.setAskToBuy(true)
    let shop = Shop(device.queue)
    shop.buy("coins")
    try await device.updated("coins", to: .deferred)
    try await store.decidePendingApprovals(isApproved: isApproved)
    let transaction = try await device.finished("coins")
    #expect(transaction.transactionState == (isApproved ? .purchased : .failed))
    #expect(try await store.appStore.charges().count == (isApproved ? 1 : 0))
    #expect(await shop.products == (isApproved ? ["coins"] : []))
  }

  @Test("A wait that ends without its event says what the queue reported instead")
  func timeout() async throws {
    let device = try TestDevice(try await Self.store(), isCurrent: false)
    device.customer.confirms = false
    let shop = Shop(device.queue)
    shop.buy("coins")
    try await device.finished("coins")
    let error = await #expect(throws: PurchaseTestError.self) {
      try await device.updated("coins", to: .purchased, within: .zero)
    }
    let text = error?.localizedDescription ?? ""
    #expect(text.hasPrefix("There was no transaction of coins that is purchased in time."))
    #expect(text.contains("coins purchasing, coins failed ("))
    _ = shop
  }

  @Test("The same seed makes the same transaction ids")
  func seed() async throws {
    var identifiers: [String?] = []
    for _ in 1...2 {
      let device = try TestDevice(try await Self.store(), isCurrent: false)
      let shop = Shop(device.queue)
      shop.buy("coins")
      identifiers.append(try await device.finished("coins").transactionIdentifier)
    }
    #expect(identifiers[0] == identifiers[1] && identifiers[0] != nil)
  }

  @Test("A device is the current one of its process unless the test says otherwise, also after a relaunch")
  func current() async {
    await #expect(processExitsWith: .exitCode(42)) {
      let store = try await Self.store()
      let phone = try TestDevice(store)
      let phoneIsCurrent = SKPaymentQueue.default() === phone.queue
      let other = try TestDevice(store, isCurrent: false)
      let phoneRemains = SKPaymentQueue.default() === phone.queue
      try await other.relaunch()
      try await phone.relaunch()
      exit(
        phoneIsCurrent && phoneRemains && SKPaymentQueue.default() === phone.queue
          && SKPaymentQueue.default() !== other.queue ? 42 : 1)
    }
  }

  @Test("A device that is not the current one does not make one from the environment")
  func noCurrentDevice() async {
    await #expect(processExitsWith: .exitCode(42)) {
      let data = FileManager.default.temporaryDirectory.appending(path: "CurrentDevice-\(UUID().uuidString)")
      for (name, value) in [("URL", "http://127.0.0.1:9"), ("DATA", data.path), ("BUNDLE_ID", "com.example.shop")] {
        setenv("OPENSTOREKIT_\(name)", value, 1)
      }
      var device: TestDevice? = try TestDevice(try await Self.store(), isCurrent: false)
      try await device?.relaunch()
      device = nil
      let isMade = FileManager.default.fileExists(atPath: data.path)
      try? FileManager.default.removeItem(at: data)
      exit(isMade ? 1 : 42)
    }
  }
}
