import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("Ask to Buy", .timeLimit(.minutes(30)))
struct ApprovalTests {
  private func parentalTest() async throws -> TestStore {
    let test = try await TestStore()
    try await test.store.changeCustomer("customer", .sandbox) { $0.needsApproval = true }
    return test
  }

  private func approve(_ isApproved: Bool, in store: EmulatedAppStore) async throws {
    let pending = try #require(try await store.pendingApprovals().first)
    try await store.decideApproval(of: pending.payment.paymentID, on: pending.installationID, isApproved: isApproved)
  }

  @Test("B3 a payment that needs approval is deferred, and purchased as the same object once it is approved")
  func approved() async throws {
    let test = try await parentalTest()
    let device = try test.device()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    let deferred = try await observer.next(.deferred)
    #expect(deferred.transactionIdentifier == nil)
    #expect(try await test.store.charges().isEmpty)

    try await approve(true, in: test.store)
    let purchased = try await observer.next(.purchased)
    #expect(purchased === deferred)
    #expect(try await test.store.charges().count == 1)
    #expect(try await test.store.pendingApprovals().isEmpty)
  }

  @Test("B3 C3 a payment that is not approved fails, and nothing is charged")
  func declined() async throws {
    let test = try await parentalTest()
    let device = try test.device()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    _ = try await observer.next(.deferred)
    try await approve(false, in: test.store)
    let failed = try await observer.next(.failed)
    #expect((failed.error as? SKError)?.code == .unknown)
    device.paymentQueue.finishTransaction(failed)
    #expect(try await observer.next().event == .removed(TestStore.five))
    #expect(try await test.store.charges().isEmpty)
  }

  @Test("B3 B9 what is approved while the app is closed is delivered at the next launch, once")
  func approvedWhileClosed() async throws {
    let test = try await parentalTest()
    let folder = TemporaryFolder()
    var device = try test.device(storage: .directory(folder.url))
    var observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    _ = try await observer.next(.deferred)
    try await device.close()
    try await approve(true, in: test.store)

    device = try test.device(storage: .directory(folder.url))
    #expect(device.paymentQueue.transactions.map(\.transactionState) == [.deferred])
    observer = RecordingObserver()
    device.paymentQueue.add(observer)
    let purchased = try await observer.next(.purchased)
    #expect(device.paymentQueue.transactions == [purchased])
    #expect(try await test.store.charges().count == 1)
  }

  @Test("B3 in the sandbox a payment may ask for approval itself; a waiting one does not keep others from being bought")
  func simulated() async throws {
    let test = try await TestStore()
    let device = try test.device()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    let payment = SKMutablePayment()
    payment.productIdentifier = TestStore.ten
    payment.simulatesAskToBuyInSandbox = true
    device.paymentQueue.add(payment)
    let deferred = try await observer.next(.deferred)
    #expect(deferred.payment.simulatesAskToBuyInSandbox)
    device.paymentQueue.add(.of(TestStore.five))
    #expect(try await observer.next(.purchased).payment.productIdentifier == TestStore.five)
    try await approve(true, in: test.store)
    #expect(try await observer.next(.purchased) === deferred)
    #expect(try await test.store.charges().count == 2)
  }

  @Test("finishing a deferred transaction changes nothing, and is reported")
  func finishDeferred() async throws {
    let test = try await parentalTest()
    let problems = Problems()
    let device = try test.device(problems: problems)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    let deferred = try await observer.next(.deferred)
    device.paymentQueue.finishTransaction(deferred)
    #expect(problems.all.count == 1)
    try await approve(true, in: test.store)
    #expect(try await observer.next(.purchased) === deferred)
  }

  @Test("an interrupted purchase fails, and comes as a transaction of its own once the customer has settled the matter")
  func interrupted() async throws {
    let test = try await TestStore()
    try await test.store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .needsAttention }
    let device = try test.device()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five, quantity: 2))
    let failed = try await observer.next(.failed)
    device.paymentQueue.finishTransaction(failed)
    #expect(try await test.store.charges().isEmpty)

    try await test.store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .valid }
    let purchased = try await observer.next(.purchased)
    #expect(purchased !== failed)
    #expect(purchased.payment.productIdentifier == TestStore.five && purchased.payment.quantity == 2)
    try await test.store.changeCustomer("customer", .sandbox) { $0.storefrontCountryCode = "DEU" }
    #expect(try await test.store.charges().count == 1)
  }

  @Test("B3 an interrupted purchase whose customer needs approval since comes once that is given, and not before")
  func interruptedThenApproved() async throws {
    let test = try await TestStore()
    try await test.store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .needsAttention }
    let device = try test.device()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five, quantity: 2))
    let failed = try await observer.next(.failed)
    try await test.store.changeCustomer("customer", .sandbox) {
      $0.paymentMethod = .valid
      $0.needsApproval = true
    }
    #expect(try await test.store.charges().isEmpty)
    let waiting = try #require(try await test.store.pendingApprovals().first)
    try await test.store.decideApproval(of: waiting.payment.paymentID, on: device.installationID, isApproved: true)
    let purchased = try await observer.next(.purchased)
    #expect(purchased !== failed && failed.transactionState == .failed)
    #expect(purchased.payment.productIdentifier == TestStore.five && purchased.payment.quantity == 2)
    #expect(try await test.store.charges().count == 1)
    try await device.close()
  }
}
