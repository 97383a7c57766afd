import AppStoreEmulator
import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("StoreKit 1 and StoreKit 2 in one app", .timeLimit(.minutes(30)))
struct BothInterfacesTests {
  @Test("B4 a purchase of StoreKit 2 is shown to observers; their finish is its finish")
  func finishByStoreKit1() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    let bought = try await device.purchase(TestStore.five, finishes: false)
    let shown = try await observer.next(.purchased)
    #expect(shown.transactionIdentifier == String(bought.id))
    device.paymentQueue.finishTransaction(shown)
    #expect(try await observer.next().event == .removed(TestStore.five))
    #expect(try await device.unfinished().isEmpty)
    #expect(try await test.chargeCount() == 1)
  }

  @Test("B4 a purchase of StoreKit 1 arrives on updates; finish() removes it from the queue")
  func finishByStoreKit2() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    var updates = device.transactionUpdates()
    device.paymentQueue.add(.of(TestStore.five))
    let bought = try await updates.nextTransaction()
    #expect(try await observer.next(.purchased).transactionIdentifier == String(bought.id))
    #expect(try await device.unfinished().map(\.id) == [bought.id])
    await bought.finish()
    #expect(try await observer.next().event == .removed(TestStore.five))
    #expect(device.paymentQueue.transactions.isEmpty)
  }

  @Test("both see the same purchases; a restore does not announce anything on updates")
  func restore() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    var updates = device.transactionUpdates()
    let sepia = try await device.purchase(TestStore.sepia)
    let observer = RestoreObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.restoreCompletedTransactions()
    #expect(await observer.end().end == .finished)
    #expect(try await device.entitlements().map(\.id) == [sepia.id])
    let season = try await test.store.purchase(
      ProductID(TestStore.season), of: TestStore.bundleID, for: "customer", in: .sandbox)
    #expect(try await updates.nextTransaction().id == season.record.transactionID.number)
  }

  @Test("a refund is reported to both")
  func refund() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice(isObserved: true)
    var updates = device.transactionUpdates()
    let sepia = try await device.purchase(TestStore.sepia)
    // The first page of changes is history, which announces nothing.
    _ = try await device.all()
    try await test.store.refund(TransactionID(sepia.id))
    #expect(try await updates.nextTransaction().revocationDate != nil)
  }

  @Test("payments of both interfaces wait for each other")
  func order() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let observer = RecordingObserver(finishesEverything: true)
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    let ten = try await device.purchase(TestStore.ten)
    #expect(try await observer.next(.purchased).payment.productIdentifier == TestStore.five)
    let charged = try await test.store.transactions().map(\.record.productID.rawValue)
    #expect(charged == [TestStore.ten, TestStore.five], "the newest is first")
    #expect(ten.productID == TestStore.ten)
  }
}
