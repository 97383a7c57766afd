import AppStoreEmulator
import Foundation
import SharedFixtures
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

/// Documentation/storekit2.md, "Contents as of when", and device-transactions.md, "Statuses and announcements".
@Suite("Refreshes", .timeLimit(.minutes(10)))
struct RefreshTests {
  private func count(_ connection: ScriptedConnection) -> Int { connection.sent.filter { $0 == .transactions }.count }

  @Test("concurrent refreshes share a run, and none uses one that began before it")
  func shared() async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    try await device.takeHistoryIn()
    let before = count(connection)
    let answer = connection.holdAnswer(to: .transactions)
    let first = Task { await device.refresh() }
    await answer.isGiven()
    // What happens now is not in the answer that is held.
    let id = try await test.boughtLongAgo(TestStore.sepia)
    let others = (0..<5).map { _ in
      Task { () -> [TransactionID] in
        #expect(await device.refresh().isCurrent)
        return try device.journal.history(withConsumables: false)
      }
    }
    // They wait when the next run is made.
    while await device.engine.refreshing.runs.count < 2 { await Task.yield() }
    answer.release()
    #expect(await first.value.isCurrent)
    for other in others { #expect(try await other.value == [id]) }
    #expect(count(connection) - before >= 2 && count(connection) - before <= 1 + others.count)
    #expect(await device.engine.refreshing.runs.count == 0)
  }

  @Test("offline, what is stored is used at once, and nothing is sent")
  func offline() async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection, clock: MovableClock())
    try await device.takeHistoryIn()
    let before = count(connection)
    device.switches.isOffline = true
    // The clock stands still, so nothing waits.
    guard case .stale(let error) = await device.engine.refresh() else { throw UnexpectedResult() }
    guard case StoreConnectionFailure.unreachable = error else { throw error }
    #expect(count(connection) == before)
  }

  @Test("a store that hangs is waited for one second; a new installation waits as long as for other calls")
  func hanging() async throws {
    let (test, clock) = (try await TestStore.lasting(), MovableClock())
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection, clock: clock)
    try await device.signIn(SignInCredentials(account: "customer"))
    for seconds in [30, 1] {
      let answer = connection.holdAnswer(to: .transactions)
      let refresh = Task { await device.engine.refresh(waiting: .seconds(1)) }
      await answer.isGiven()
      await clock.untilSleeping(for: .seconds(seconds))
      if seconds == 1 {
        clock.advance(by: .seconds(seconds))
        #expect(await !refresh.value.isCurrent)
        answer.release()
      } else {
        answer.release()
        #expect(await refresh.value.isCurrent)
      }
    }
  }

  @Test("the device's account is signed in once, if no account was ever known; not after a sign-out")
  func accountOfDevice() async throws {
    let test = try await TestStore.lasting()
    let id = try await test.boughtLongAgo(TestStore.sepia)
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    #expect(await device.refresh().isCurrent)
    #expect(try device.journal.history(withConsumables: false) == [id])
    #expect(connection.sent.filter { $0 == .signIn }.count == 1)
    try await device.signOut()
    #expect(await device.refresh().isCurrent)
    #expect(connection.sent.filter { $0 == .signIn }.count == 1)
    // What is stored stays.
    #expect(try device.journal.history(withConsumables: false) == [id])
  }

  @Test("a customer without an account of the device is not asked")
  func noAccount() async throws {
    let (test, customer) = (try await TestStore.lasting(), ScriptedCustomer())
    let device = try test.device(customer: customer)
    #expect(await device.refresh().isCurrent)
    #expect(customer.askedToSignIn.isEmpty)
  }

  @Test("a purchase on another device arrives while the app waits")
  func followed() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    try await device.takeHistoryIn()
    let updates = device.registerTransactionUpdates()
    for product in [TestStore.sepia, TestStore.greyscale] {
      let id = try await test.boughtLongAgo(product)
      #expect(await updates.next()?.stored == id)
    }
  }

  @Test("a page with a wrong signature is asked again by the retry schedule, and not in an endless loop")
  func wrongSignature() async throws {
    let (test, retry) = (try await TestStore.lasting(), ManualRetry())
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection, retry: retry)
    try await device.takeHistoryIn()
    let updates = device.registerTransactionUpdates()
    let good = try await test.boughtLongAgo(TestStore.greyscale)
    #expect(await updates.next()?.stored == good)
    connection.rewriteChanges { page in
      TransactionChanges(
        account: page.account,
        transactions: page.transactions.map {
          TransactionChanges.Transaction(
            signedTransaction: "\($0.signedTransaction.dropLast(80))\(String(repeating: "A", count: 80))",
            revision: $0.revision, isFinished: $0.isFinished)
        }, revision: page.revision, hasMore: page.hasMore, statuses: page.statuses)
    }
    let before = count(connection)
    let id = try await test.boughtLongAgo(TestStore.sepia)
    #expect(await retry.nextWait() == 1)
    // The device has asked for a bought and for a finished transaction, and then again.
    let asked = count(connection)
    #expect(asked - before <= 4)
    let place = try device.journal.transactionPlace()
    #expect(await device.engine.refreshing.seen != place)
    connection.rewriteChanges(nil)
    retry.release()
    while let update = await updates.next(), update.stored != id {}
    #expect(try device.journal.announced().contains(id))
  }

  @Test("the products of more than 1,000 ids are asked for in parts, each once")
  func products() async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    let unknown = (0..<1_500).map { ProductID("none \($0)") }
    let list = try await device.engine.products(
      [ProductID(TestStore.monthly)] + unknown, group: SubscriptionGroupID("G"))
    #expect(Set(list.products.map(\.productID.rawValue)) == [TestStore.monthly, TestStore.basic])
    #expect(list.products.count == 2 && list.invalidProductIDs == unknown)
    #expect(connection.sent.filter { $0 == .products }.count == 2)
  }

  @Test("the app transaction is stored, and asked for again by another version of the app")
  func appTransaction() async throws {
    let (test, folder) = (try await TestStore.lasting(), TemporaryFolder())
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection, storage: .directory(folder.url))
    try await device.signIn(SignInCredentials(account: "customer"))
    let first = try await device.engine.appTransaction(isForced: false)
    #expect(first.failure == nil)
    #expect(try await device.engine.appTransaction(isForced: false).jws == first.jws)
    #expect(connection.sent.filter { $0 == .appTransaction }.count == 1)
    try await device.close()

    let updated = try StoreKitDevice(
      connection: connection, bundleID: TestStore.bundleID, applicationVersion: "2", storage: .directory(folder.url),
      retry: ManualRetry())
    // Without an answer, the older one is better than none.
    connection.script(.appTransaction, .unreachable)
    #expect(try await updated.engine.appTransaction(isForced: false).jws == first.jws)
    #expect(try await updated.engine.appTransaction(isForced: false).jws != first.jws)
    try await updated.close()
  }

  private struct UnexpectedResult: Error {}
}
