import AppStoreEmulator
import Foundation
import GRDB
import SharedFixtures
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("Payments that wait for the store", .timeLimit(.minutes(30)))
struct StoreWaitTests {
  private let clock = MovableClock()
  private let customer = ScriptedCustomer()
  private let retry = ManualRetry()
  private let observer = RecordingObserver()
  private let test: TestStore
  private let connection: ScriptedConnection

  init() async throws {
    test = try await TestStore()
    connection = ScriptedConnection(test.store)
  }

  private func device(_ folder: TemporaryFolder? = nil) throws -> StoreKitDevice {
    let device = try test.device(
      through: connection, storage: folder.map { .directory($0.url) } ?? .inMemory, customer: customer, retry: retry,
      clock: clock)
    device.paymentQueue.add(observer)
    return device
  }

  /// Lets the whole time of a payment pass that has just begun to wait.
  private func passTime(_ seconds: Int = 30) async {
    await clock.untilSleeping(for: .seconds(1))
    clock.advance(by: .seconds(1))
    await clock.untilSleeping(for: .seconds(seconds - 1))
    clock.advance(by: .seconds(seconds - 1))
  }

  private func expectNoStore(_ transaction: SKPaymentTransaction) {
    let error = transaction.error as NSError?
    #expect(error?.domain == SKErrorDomain && error?.code == 0)
    #expect(error?.localizedDescription == "Cannot connect to iTunes Store")
  }

  @Test("nothing is kept of a payment's wait after its end")
  func ended() async throws {
    let device = try device()
    for product in [TestStore.five, TestStore.ten] {
      device.paymentQueue.add(.of(product))
      _ = try await observer.next(.purchased)
    }
    #expect(await device.engine.waitsAnew.isEmpty)
  }

  /// Buys `count` payments that wait for the same answer, and returns how many timers were set meanwhile, and how often the
  /// journal's unsent payments were read.
  private static func work(buying count: Int) async throws -> (timers: Int, reads: Int) {
    let (clock, observer, test) = (MovableClock(), RecordingObserver(), try await TestStore())
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection, clock: clock)
    try await device.signIn(SignInCredentials(account: "customer"))
    let held = connection.holdAnswer(to: .quote)
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    await held.isGiven()
    for _ in 1..<count { device.paymentQueue.add(.of(TestStore.five)) }
    for _ in 0..<count { _ = try await observer.next(.purchasing) }
    let reads = LockedValue(0)
    try await device.journal.database.write { database in
      database.trace { event in
        guard case .statement(let statement) = event else { return }
        if statement.sql.hasSuffix("WHERE stage = ? ORDER BY sequence") { reads.withLock { $0 += 1 } }
      }
    }
    let before = clock.sleepCount
    held.release()
    for _ in 0..<count { _ = try await observer.next(.purchased) }
    try await device.close()
    return (clock.sleepCount - before, reads.value)
  }

  @Test("each payment that waits needs a few timers, and many payments read the journal's payments as often as few")
  func linear() async throws {
    let (few, many) = (try await Self.work(buying: 20), try await Self.work(buying: 40))
    // Three calls, each with a timer; a call that is not answered at once has another one.
    #expect(few.timers <= 20 * 5 && many.timers <= 40 * 5, "\(few) \(many)")
    #expect(many.reads <= few.reads + 4, "\(few) \(many)")
  }

  @Test("C4 a payment behind another one that was answered has the whole time from the next request")
  func laterRequest() async throws {
    let device = try device()
    try await device.signIn(SignInCredentials(account: "customer"))
    let first = connection.holdAnswer(to: .quote)
    device.paymentQueue.add(.of(TestStore.five))
    await first.isGiven()
    device.paymentQueue.add(.of(TestStore.ten))
    await clock.untilSleeping(for: .seconds(1))
    clock.advance(by: .seconds(20))
    let second = connection.holdAnswer(to: .quote)
    first.release()
    _ = try await observer.next(.purchased)
    await second.isGiven()
    await passTime()
    let failed = try await observer.next(.failed)
    #expect(failed.payment.productIdentifier == TestStore.ten)
    expectNoStore(failed)
    second.release()
    try await device.close()
  }

  @Test("C4 without a store, a payment is shown to wait for 30 seconds, and then fails with code 0")
  func timeout() async throws {
    connection.cutOff(.quote)
    let device = try device()
    device.paymentQueue.add(.of(TestStore.five))
    _ = try await observer.next(.purchasing)
    #expect(await customer.nextWait()?.productID == ProductID(TestStore.five))
    await passTime()
    expectNoStore(try await observer.next(.failed))
    await customer.nextWaitEnd()
    // The store is back: the payment is over, so no sheet appears.
    connection.endScript(of: .quote)
    retry.release()
    device.paymentQueue.add(.of(TestStore.ten))
    #expect(try await observer.next(.purchased).payment.productIdentifier == TestStore.ten)
    #expect(customer.askedToConfirm.map(\.payment.productID) == [ProductID(TestStore.ten)])
  }

  @Test("C4 the customer can cancel the wait, also of a request without an answer; its late answer brings no sheet")
  func cancelled() async throws {
    let device = try device()
    try await device.signIn(SignInCredentials(account: "customer"))
    let held = connection.holdAnswer(to: .quote)
    device.paymentQueue.add(.of(TestStore.five))
    await held.isGiven()
    // The wait is shown after a second.
    await clock.untilSleeping(for: .seconds(1))
    clock.advance(by: .seconds(1))
    _ = await customer.nextWait()
    customer.cancelWaits()
    #expect((try await observer.next(.failed).error as? SKError)?.code == .paymentCancelled)
    // The queue does not wait for the answer.
    device.paymentQueue.add(.of(TestStore.ten))
    #expect(try await observer.next(.purchased).payment.productIdentifier == TestStore.ten)
    held.release()
    try await device.close()
    #expect(customer.askedToConfirm.map(\.payment.productID) == [ProductID(TestStore.ten)])
  }

  @Test(
    "C4 a payment that the customer gives up at the moment of the store's answer brings no sheet",
    arguments: [true, false])
  func cancelledAtTheAnswer(isSignedIn: Bool) async throws {
    let device = try device()
    if isSignedIn { try await device.signIn(SignInCredentials(account: "customer")) }
    let late = customer.holdCancellation()
    let held = connection.holdAnswer(to: .quote)
    device.paymentQueue.add(.of(TestStore.five))
    await held.isGiven()
    await clock.untilSleeping(for: .seconds(1))
    clock.advance(by: .seconds(1))
    _ = await customer.nextWait()
    customer.cancelWaits()
    // The customer has cancelled, and StoreKit does not know it yet.
    await late.isGiven()
    held.release()
    #expect((try await observer.next(.failed).error as? SKError)?.code == .paymentCancelled)
    #expect(customer.askedToConfirm.isEmpty)
    #expect(customer.askedToSignIn.isEmpty)
    try await device.close()
  }

  @Test("C4 no wait is shown for a payment that may be charged already: its confirmation was sent, and not answered")
  func notShownWhileSent() async throws {
    let device = try device()
    try await device.signIn(SignInCredentials(account: "customer"))
    let held = connection.holdAnswer(to: .confirm)
    device.paymentQueue.add(.of(TestStore.five))
    await held.isGiven()
    #expect(try await test.store.charges().count == 1)
    await clock.untilSleeping(for: .seconds(1))
    clock.advance(by: .seconds(1))
    await clock.untilSleeping(for: .seconds(29))
    device.paymentQueue.add(.of(TestStore.ten))
    await clock.untilSleeping(for: .seconds(1))
    clock.advance(by: .seconds(1))
    // Only the payment behind it is shown to wait.
    #expect(await customer.nextWait()?.productID == ProductID(TestStore.ten))
    held.release()
    _ = try await observer.next(.purchased)
    _ = try await observer.next(.purchased)
    #expect(customer.waitedFor.map(\.productID) == [ProductID(TestStore.ten)])
    try await device.close()
  }

  @Test("C4 the wait ends when the store answers, and the sheet appears")
  func answered() async throws {
    connection.cutOff(.quote)
    let device = try device()
    device.paymentQueue.add(.of(TestStore.five))
    _ = await customer.nextWait()
    connection.endScript(of: .quote)
    retry.release()
    _ = try await observer.next(.purchased)
    await customer.nextWaitEnd()
    clock.advance(by: .seconds(100))
    #expect(device.paymentQueue.transactions.map(\.transactionState) == [.purchased])
    #expect(customer.askedToConfirm.count == 1)
  }

  @Test("C4 a payment behind one whose confirmation may have left has its own limit; the other waits for the store")
  func behind() async throws {
    connection.loseAnswer(to: .confirm)
    let device = try device()
    device.paymentQueue.add(.of(TestStore.five))
    #expect(await retry.nextWait() == 1)
    device.paymentQueue.add(.of(TestStore.ten))
    await passTime()
    let failed = try await observer.next(.failed)
    #expect(failed.payment.productIdentifier == TestStore.ten)
    expectNoStore(failed)
    #expect(device.paymentQueue.transactions.map(\.transactionState) == [.purchasing, .failed])
    connection.endScript(of: .confirm)
    retry.release()
    _ = try await observer.next(.purchased)
    #expect(try await test.store.charges().count == 1)
  }

  @Test("C4 a confirmation that has certainly not left is given up as well, and never charged")
  func notSent() async throws {
    connection.cutOff(.confirm)
    let device = try device()
    device.paymentQueue.add(.of(TestStore.five))
    #expect(await customer.nextWait()?.productID == ProductID(TestStore.five))
    await passTime()
    expectNoStore(try await observer.next(.failed))
    connection.endScript(of: .confirm)
    retry.release()
    device.paymentQueue.add(.of(TestStore.ten))
    _ = try await observer.next(.purchased)
    #expect(try await test.store.charges().map(\.productID) == [ProductID(TestStore.ten)])
  }

  @Test("C4 once a confirmation may have left, no time ends the payment: it is charged once, and delivered")
  func sent() async throws {
    connection.loseAnswer(to: .confirm)
    let device = try device()
    device.paymentQueue.add(.of(TestStore.five))
    #expect(await retry.nextWait() == 1)
    clock.advance(by: .seconds(10_000))
    #expect(device.paymentQueue.transactions.map(\.transactionState) == [.purchasing])
    connection.endScript(of: .confirm)
    retry.release()
    _ = try await observer.next(.purchased)
    #expect(try await test.store.charges().count == 1)
  }

  @Test("C4 after a relaunch, the rest of the time counts: later than that, the payment fails, and no sheet appears")
  func relaunched() async throws {
    let folder = TemporaryFolder()
    connection.cutOff(.quote)
    let first = try device(folder)
    first.paymentQueue.add(.of(TestStore.five))
    #expect(await retry.nextWait() == 1)
    try await first.close()
    clock.advance(by: .seconds(31))
    connection.endScript(of: .quote)
    let second = try device(folder)
    expectNoStore(try await observer.next(.failed))
    #expect(!connection.sent.contains(.quote))
    #expect(customer.askedToConfirm.isEmpty)
    second.paymentQueue.add(.of(TestStore.ten))
    _ = try await observer.next(.purchased)
  }

  @Test("C4 after a relaunch within its time, a payment waits only for the rest")
  func relaunchedInTime() async throws {
    let folder = TemporaryFolder()
    connection.cutOff(.quote)
    let first = try device(folder)
    first.paymentQueue.add(.of(TestStore.five))
    #expect(await retry.nextWait() == 1)
    try await first.close()
    clock.advance(by: .seconds(10))
    let second = try device(folder)
    await passTime(20)
    expectNoStore(try await observer.next(.failed))
    try await second.close()
  }

  @Test("C4 products, a restore and a receipt that the store does not answer end after the same time, with an error")
  func otherRequests() async throws {
    let device = try test.device(through: connection, customer: customer, retry: retry, clock: clock)
    try await device.signIn(SignInCredentials(account: "customer"))
    let restoring = RestoreObserver()
    device.paymentQueue.add(restoring)
    // No other call is under way after that.
    await connection.nextUnfinished()
    for verb in [DeviceAPI.Verb.products, .restore, .refreshReceipt] {
      let held = connection.holdAnswer(to: verb)
      let ended: Task<NSError?, Never>
      switch verb {
      case .restore:
        device.paymentQueue.restoreCompletedTransactions()
        ended = Task {
          guard case .failed(let domain, let code) = await restoring.end().end else { return nil }
          return NSError(domain: domain, code: code)
        }
      case .products:
        ended = Task { await RequestEnd().error(of: SKProductsRequest(productIdentifiers: ["a"], device: device)) }
      default: ended = Task { await RequestEnd().error(of: SKReceiptRefreshRequest(device: device)) }
      }
      await held.isGiven()
      await clock.untilSleeping(for: .seconds(30))
      clock.advance(by: .seconds(30))
      let error = await ended.value
      #expect(error?.domain == NSURLErrorDomain && error?.code == NSURLErrorNetworkConnectionLost, "\(verb)")
      held.release()
    }
  }
}

/// Waits for the end of a request.
final class RequestEnd: NSObject, SKProductsRequestDelegate, Sendable {
  private let ended = AsyncStream.makeStream(of: NSError?.self)

  /// Starts the request, and returns its error; nil if it succeeds.
  func error(of request: sending SKRequest) async -> NSError? {
    if let products = request as? SKProductsRequest { products.delegate = self } else { request.delegate = self }
    request.start()
    defer { withExtendedLifetime(self) {} }
    return await ended.stream.first { _ in true } ?? nil
  }

  func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {}
  func requestDidFinish(_ request: SKRequest) { ended.continuation.yield(nil) }

  func request(_ request: SKRequest, didFailWithError error: any Error) {
    // As an app's own code has it.
    let any: Any = error
    ended.continuation.yield((any as! NSError))
  }
}
