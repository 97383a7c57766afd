import AppStoreEmulator
import Foundation
import SharedFixtures
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("A device that is restricted or offline", .timeLimit(.minutes(30)))
struct DeviceSwitchTests {
  /// Returns when a switch has the wanted state.
  private func wait(for switches: DeviceSwitches, until isMet: @escaping @Sendable (DeviceSwitches) -> Bool) async {
    let (changes, changed) = AsyncStream.makeStream(of: Void.self)
    switches.observe { changed.yield() }
    while !isMet(switches) { _ = await changes.first { _ in true } }
  }

  @Test("I3 A5 an offline device fails all its calls as without a network, and only its settings come through")
  func offline() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    device.switches.isOffline = true
    let restoring = RestoreObserver()
    device.paymentQueue.add(restoring)
    let failed = await RequestEnd().error(
      of: SKProductsRequest(productIdentifiers: [TestStore.five], device: device))
    #expect(failed?.domain == NSURLErrorDomain && failed?.code == NSURLErrorCannotConnectToHost)
    device.paymentQueue.restoreCompletedTransactions()
    #expect(await restoring.end().end == .failed(domain: NSURLErrorDomain, code: NSURLErrorCannotConnectToHost))
    #expect(Set(connection.sent).isSubset(of: [.register, .changes]))
    device.switches.isOffline = false
    #expect(try await ProductAnswer.of([TestStore.five], on: device).products.count == 1)
  }

  @Test("I3 the control API takes a device offline and back; what happened meanwhile is delivered then")
  func setFromOutside() async throws {
    let test = try await TestStore()
    let device = try test.device(retry: TimedRetry(RetryPauses(from: .milliseconds(1), upTo: .milliseconds(8))))
    try await device.signIn(SignInCredentials(account: "customer"))
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    try await test.store.changeSettings(of: device.installationID) { $0.isOffline = true }
    await wait(for: device.switches) { $0.isOffline }
    _ = try await test.store.purchase(
      ProductID(TestStore.ten), of: TestStore.bundleID, for: "customer", in: .sandbox)
    device.paymentQueue.add(.of(TestStore.five))
    _ = try await observer.next(.purchasing)
    #expect(try await test.store.charges().count == 1)
    try await test.store.changeSettings(of: device.installationID) { $0.isOffline = nil }
    await device.switches.waitUntilOnline()
    var purchased: Set<String> = []
    while purchased.count < 2 { purchased.insert(try await observer.next(.purchased).payment.productIdentifier) }
    #expect(purchased == [TestStore.five, TestStore.ten])
  }

  @Test("I3 what happened while the device's own switch had it offline is delivered as soon as it is online")
  func ownSwitch() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    try await device.signIn(SignInCredentials(account: "customer"))
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    await connection.nextUnfinished()
    device.switches.isOffline = true
    _ = try await test.store.purchase(
      ProductID(TestStore.ten), of: TestStore.bundleID, for: "customer", in: .sandbox)
    // The change was received, and skipped; the device waits for changes after it.
    await connection.nextPoll(after: .transactionsWaiting)
    device.switches.isOffline = false
    #expect(try await observer.next(.purchased).payment.productIdentifier == TestStore.ten)
    try await device.close()
  }

  @Test("I3 C5 the control API's restriction counts over the device's own, and is known at the next launch")
  func restriction() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    var device = try test.device(storage: .directory(folder.url))
    device.paymentQueue.add(RecordingObserver.lasting)
    try await device.signIn(SignInCredentials(account: "customer"))
    try await test.store.changeSettings(of: device.installationID) { $0.isRestricted = true }
    await wait(for: device.switches) { $0.isRestricted }
    #expect(!device.paymentsAllowed)
    device.paymentsAllowed = true
    #expect(!device.paymentsAllowed)
    try await device.close()
    // Before the first contact with the store.
    device = try test.device(storage: .directory(folder.url))
    #expect(!device.paymentsAllowed)
    try await test.store.changeSettings(of: device.installationID) { $0.isRestricted = false }
    // At the first contact, also without an observer.
    _ = try await ProductAnswer.of([TestStore.five], on: device)
    #expect(device.paymentsAllowed)
    try await device.close()
    device = try test.device(storage: .directory(folder.url), paymentsAllowed: false)
    #expect(device.paymentsAllowed, "the store's value counts")
    try await device.close()
  }
}
