import AppStoreEmulator
import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

/// The table "Sequences" of Documentation/storekit2.md.
@Suite("StoreKit 2: sequences of transactions", .timeLimit(.minutes(30)))
struct SequenceTests {
  @Test("all has everything but finished consumables, newest purchase first", arguments: [false, true])
  func all(isObserved: Bool) async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice(isObserved: isObserved)
    let sepia = try await device.purchase(TestStore.sepia)
    try await device.purchase(TestStore.five)
    let season = try await device.purchase(TestStore.season)
    let ten = try await device.purchase(TestStore.ten, finishes: false)
    let monthly = try await device.purchase(TestStore.monthly)
    #expect(try await device.all().map(\.id) == [monthly, ten, season, sepia].map(\.id))
    #expect(try await device.all(of: TestStore.sepia).map(\.id) == [sepia.id])
    #expect(try await device.all(of: "none").isEmpty)
    #expect(try await device.unfinished().map(\.id) == [ten.id])
  }

  @Test("a refunded consumable is in the history again; latest(for:) finds revoked purchases, too")
  func refunded() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let five = try await device.purchase(TestStore.five)
    #expect(try await device.all().isEmpty)
    #expect(await Transaction.latest(for: TestStore.five, on: device) == nil)
    try await test.store.refund(TransactionID(five.id))
    #expect(try await device.all().map(\.id) == [five.id])
    let latest = await Transaction.latest(for: TestStore.five, on: device)
    #expect(try latest?.payloadValue.revocationDate != nil)
  }

  @Test("several pages are read in order")
  func pages() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    try await device.signIn(SignInCredentials(account: "customer"))
    for _ in 0..<230 {
      _ = try await test.store.purchase(
        ProductID(TestStore.season), of: TestStore.bundleID, for: "customer", in: .sandbox)
    }
    let ids = try await device.all().map(\.id)
    #expect(ids.count == 230 && ids == ids.sorted(by: >))
  }

  @Test("in a cancelled task, the sequences are empty")
  func cancelledTask() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    try await device.purchase(TestStore.sepia)
    #expect(try await inCancelledTask { try await device.all() }.isEmpty)
    #expect(try await inCancelledTask { try await device.entitlements() }.isEmpty)
    #expect(try await inCancelledTask { try await device.unfinished() }.isEmpty)
    #expect(try await inCancelledTask { await Transaction.latest(for: TestStore.sepia, on: device) } == nil)
    #expect(
      try await inCancelledTask { try await Product.SubscriptionInfo.status(for: TestStore.group, on: device) }.isEmpty)
    let update = try await inCancelledTask {
      var updates = device.transactionUpdates()
      return await updates.next()
    }
    #expect(update == nil)
  }

  @Test("a purchase that was returned is not repeated on updates; one on another device is", arguments: [false, true])
  func otherDevice(isObserved: Bool) async throws {
    let test = try await TestStore.club()
    let (phone, tablet) = (try test.clubDevice(isObserved: isObserved), try test.clubDevice())
    try await phone.signIn(SignInCredentials(account: "customer"))
    _ = try await phone.all()
    var updates = phone.transactionUpdates()
    try await phone.purchase(TestStore.greyscale)
    let sepia = try await tablet.purchase(TestStore.sepia)
    #expect(try await updates.nextTransaction().id == sepia.id)
  }

  @Test("a renewal, a refund and its reversal arrive on updates of a running app")
  func running() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    var updates = device.transactionUpdates()
    let first = try await device.purchase(TestStore.basic)
    // The first page of changes is history, which announces nothing.
    _ = try await device.all()
    try await test.nextStep()
    let renewal = try await updates.nextTransaction()
    #expect(renewal.originalID == first.id && renewal.id != first.id && renewal.reason == .renewal)
    try await test.store.refund(TransactionID(renewal.id))
    let refund = try await updates.nextTransaction()
    #expect(refund.id == renewal.id && refund.revocationDate != nil)
    #expect(try await device.entitlements().isEmpty, "a refund has left the entitlements when it is announced")
    _ = try await test.store.reverseRefund(of: TransactionID(renewal.id))
    let reversal = try await updates.nextTransaction()
    #expect(reversal.id == renewal.id && reversal.revocationDate == nil)
  }

  @Test(
    "a renewal that was received with a page of changes does not come again with the list of unfinished transactions")
  func pageBeforeList() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    var updates = device.transactionUpdates()
    try await device.purchase(TestStore.basic)
    _ = try await device.all()
    _ = try test.store.set(
      Fault(HeldAnswerFault(), id: "list", scope: FaultScope(calls: [.device(.unfinished)])))
    try await test.nextStep()
    let renewal = try await updates.nextTransaction()
    try await test.store.untilFault("list")
    let next = Task { [updates] in
      var updates = updates
      return try await updates.nextTransaction()
    }
    // The request for the next element says that the app has handled this one.
    while try !device.journal.announced().isEmpty { await Task.yield() }
    try test.store.removeFault("list")
    try await test.store.refund(TransactionID(renewal.id))
    #expect(try await next.value.revocationDate != nil)
  }

  @Test("what has happened while the app was closed arrives at its next launch, once")
  func closed() async throws {
    let test = try await TestStore.club()
    let folder = TemporaryFolder()
    var device = try test.clubDevice(storage: .directory(folder.url))
    var updates = device.transactionUpdates()
    let first = try await device.purchase(TestStore.basic)
    let sepia = try await device.purchase(TestStore.sepia)
    _ = try await device.all()
    try await device.close()
    #expect(await updates.next() == nil, "a loop ends with its device")
    try await test.nextStep()
    try await test.store.refund(TransactionID(sepia.id))

    device = try test.clubDevice(storage: .directory(folder.url))
    updates = device.transactionUpdates()
    let received = [try await updates.nextTransaction(), try await updates.nextTransaction()]
    let renewal = try #require(received.first { $0.productID == TestStore.basic })
    #expect(renewal.originalID == first.id && renewal.reason == .renewal)
    #expect(received.first { $0.id == sepia.id }?.revocationDate != nil)
    await renewal.finish()
    let ten = try await device.purchase(TestStore.ten, finishes: false)
    // An element counts as received when the app asks for the one after it.
    let season = try await test.boughtElsewhere(TestStore.season)
    #expect(try await updates.nextTransaction().id == season)
    try await device.close()

    device = try test.clubDevice(storage: .directory(folder.url))
    updates = device.transactionUpdates()
    let again = [try await updates.nextTransaction().id, try await updates.nextTransaction().id]
    #expect(Set(again) == [season, ten.id])
    let greyscale = try await test.boughtElsewhere(TestStore.greyscale)
    #expect(try await updates.nextTransaction().id == greyscale, "the renewal and the refund do not arrive twice")
    try await device.close()
  }

  @Test("unfinished transactions arrive once per launch, for the first iterator; all iterators receive what is new")
  func severalListeners() async throws {
    let test = try await TestStore.club()
    let folder = TemporaryFolder()
    var device = try test.clubDevice(storage: .directory(folder.url))
    let five = try await device.purchase(TestStore.five, finishes: false)
    _ = try await device.all()
    try await device.close()
    device = try test.clubDevice(storage: .directory(folder.url))
    var first = device.transactionUpdates()
    var second = device.transactionUpdates()
    #expect(try await first.nextTransaction().id == five.id)
    let sepia = try await test.boughtElsewhere(TestStore.sepia)
    #expect(try await first.nextTransaction().id == sepia)
    #expect(try await second.nextTransaction().id == sepia)
    try await device.close()
  }

  @Test("an iterator is registered when it is made: what happens before its first element is not missed")
  func lateFirstElement() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    try await device.signIn(SignInCredentials(account: "customer"))
    _ = try await device.all()
    var updates = device.transactionUpdates()
    _ = try await test.store.purchase(
      ProductID(TestStore.sepia), of: TestStore.bundleID, for: "customer", in: .sandbox)
    _ = try await device.all()
    #expect(try await updates.nextTransaction().productID == TestStore.sepia)
  }

  @Test("an element has the newest content, and a transaction that changes again is in a buffer once")
  func newestContent() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    try await device.signIn(SignInCredentials(account: "customer"))
    _ = try await device.all()
    var updates = device.transactionUpdates()
    let sepia = try await test.store.purchase(
      ProductID(TestStore.sepia), of: TestStore.bundleID, for: "customer", in: .sandbox)
    _ = try await device.all()
    try await test.store.refund(sepia.record.transactionID)
    _ = try await device.all()
    #expect(try await updates.nextTransaction().revocationDate != nil)
    let season = try await test.store.purchase(
      ProductID(TestStore.season), of: TestStore.bundleID, for: "customer", in: .sandbox)
    #expect(try await updates.nextTransaction().id == season.record.transactionID.number)
  }

  @Test("an app that ends while it handles an element receives it again")
  func handledAgain() async throws {
    let test = try await TestStore.club()
    let folder = TemporaryFolder()
    var device = try test.clubDevice(storage: .directory(folder.url))
    var updates = device.transactionUpdates()
    let sepia = try await device.purchase(TestStore.sepia)
    _ = try await device.all()
    try await test.store.refund(TransactionID(sepia.id))
    #expect(try await updates.nextTransaction().id == sepia.id)
    try await device.close()
    device = try test.clubDevice(storage: .directory(folder.url))
    updates = device.transactionUpdates()
    #expect(try await updates.nextTransaction().id == sepia.id)
    try await device.close()
  }

  @Test("an app whose loop is cancelled while it handles an element receives it again at the next launch")
  func cancelledLoop() async throws {
    let test = try await TestStore.club()
    let folder = TemporaryFolder()
    var device = try test.clubDevice(storage: .directory(folder.url))
    let sepia = try await device.purchase(TestStore.sepia)
    _ = try await device.all()
    try await test.store.refund(TransactionID(sepia.id))
    _ = try await device.all()
    let running = device
    let loop = Task {
      var updates = running.transactionUpdates()
      let id = try await updates.nextTransaction().id
      withUnsafeCurrentTask { $0?.cancel() }
      return (id, await updates.next() == nil)
    }
    let (id, hasEnded) = try await loop.value
    #expect(id == sepia.id && hasEnded)
    try await device.close()
    device = try test.clubDevice(storage: .directory(folder.url))
    var updates = device.transactionUpdates()
    #expect(try await updates.nextTransaction().id == sepia.id)
    try await device.close()
  }

  @Test("what one of two loops has not handled arrives at the next launch, although the other has handled it")
  func slowListener() async throws {
    let test = try await TestStore.club()
    let folder = TemporaryFolder()
    var device = try test.clubDevice(storage: .directory(folder.url))
    try await device.signIn(SignInCredentials(account: "customer"))
    _ = try await device.all()
    var fast = device.transactionUpdates()
    var slow = device.transactionUpdates()
    let sepia = try await test.boughtElsewhere(TestStore.sepia)
    #expect(try await fast.nextTransaction().id == sepia)
    #expect(try await slow.nextTransaction().id == sepia)
    let season = try await test.boughtElsewhere(TestStore.season)
    #expect(try await fast.nextTransaction().id == season)
    #expect(try Set(device.journal.announced()) == [TransactionID(sepia), TransactionID(season)])
    try await device.close()

    device = try test.clubDevice(storage: .directory(folder.url))
    // Both are registered before one of them receives an element. Each is used by its task only.
    nonisolated(unsafe) let iterators = [device.transactionUpdates(), device.transactionUpdates()]
    let loops = iterators.indices.map { index in
      Task {
        var updates = iterators[index]
        var ids: [UInt64] = []
        for _ in 0..<3 { ids.append(try await updates.nextTransaction().id) }
        return ids
      }
    }
    // Both have handled what came again, and wait.
    while try !device.journal.announced().isEmpty { await Task.yield() }
    let greyscale = try await test.boughtElsewhere(TestStore.greyscale)
    for loop in loops { #expect(try await Set(loop.value) == [sepia, season, greyscale]) }
    try await device.close()
  }

  @Test("a purchase of another device is unfinished here, at each launch until a finish; a consumable is not")
  func unfinishedElsewhere() async throws {
    let test = try await TestStore.club()
    let folder = TemporaryFolder()
    let tablet = try test.clubDevice()
    var phone = try test.clubDevice(storage: .directory(folder.url))
    try await phone.signIn(SignInCredentials(account: "customer"))
    _ = try await phone.all()
    var updates = phone.transactionUpdates()
    try await tablet.purchase(TestStore.five, finishes: false)
    let sepia = try await tablet.purchase(TestStore.sepia, finishes: false)
    #expect(try await updates.nextTransaction().id == sepia.id)
    // The app has received it, and asks for the next one.
    let season = try await test.boughtElsewhere(TestStore.season)
    #expect(try await updates.nextTransaction().id == season)
    #expect(try await Set(phone.unfinished().map(\.id)) == [sepia.id, season])
    try await phone.close()

    phone = try test.clubDevice(storage: .directory(folder.url))
    updates = phone.transactionUpdates()
    let first = [try await updates.nextTransaction(), try await updates.nextTransaction()]
    #expect(Set(first.map(\.id)) == [sepia.id, season])
    for transaction in first { await transaction.finish() }
    #expect(try await phone.unfinished().isEmpty)
    try await phone.close()

    phone = try test.clubDevice(storage: .directory(folder.url))
    updates = phone.transactionUpdates()
    let greyscale = try await test.boughtElsewhere(TestStore.greyscale)
    #expect(try await updates.nextTransaction().id == greyscale)
    try await phone.close()
  }

  @Test("a loop that ends before its first element leaves the unfinished transactions of the launch to the next one")
  func forgottenListener() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let five = try await device.purchase(TestStore.five, finishes: false)
    do { _ = device.transactionUpdates() }
    var updates = device.transactionUpdates()
    #expect(try await updates.nextTransaction().id == five.id)
    var second = device.transactionUpdates()
    let sepia = try await test.boughtElsewhere(TestStore.sepia)
    #expect(try await second.nextTransaction().id == sepia)
  }

  @Test("the sequences have Apple's elements")
  func elements() {
    #expect(Transaction.Transactions.Element.self == VerificationResult<Transaction>.self)
    #expect(SubscriptionStatus.Statuses.Element.self == Product.SubscriptionInfo.Status.self)
    #expect(Storefront.Storefronts.Element.self == Storefront.self)
    #expect(Message.Messages.Element.self == Message.self)
    #expect(PurchaseIntent.PurchaseIntents.Element.self == PurchaseIntent.self)
  }

  @Test("offline, the lists are those that are stored")
  func offline() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let sepia = try await device.purchase(TestStore.sepia)
    let five = try await device.purchase(TestStore.five, finishes: false)
    device.switches.isOffline = true
    #expect(try await device.all().map(\.id) == [five.id, sepia.id])
    #expect(try await device.entitlements().map(\.id) == [sepia.id])
    await five.finish()
    #expect(try await device.unfinished().isEmpty)
    #expect(await Transaction.latest(for: TestStore.sepia, on: device)?.verifiedID == sepia.id)
  }
}
