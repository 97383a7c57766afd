import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Rows that are due at a date", .timeLimit(.minutes(30)))
struct DueDateTests {
  private static let day: Int64 = 86_400

  /// Makes a payment of a child, which waits for approval.
  private func wait(_ payment: PaymentID = "payment 1", in shop: TeaShop, on phone: Phone) async throws {
    let quote = try await shop.quote(as: payment, on: phone)
    #expect(try await shop.store.confirm(quote, for: phone.id) == .deferred)
  }

  private func child(in shop: TeaShop, _ phone: String = "phone") async throws -> Phone {
    if try await !shop.store.customers().contains(where: { $0.name == "child" }) {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: "child", needsApproval: true))
    }
    return try await shop.phone(phone, signedInAs: "child")
  }

  private func changes(_ shop: TeaShop, _ phone: Phone) async throws -> [StoreChange] {
    try await shop.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: phone.id).changes
  }

  private func payments(in shop: TeaShop) async throws -> [PaymentRow] {
    try await shop.store.database.read { try PaymentRow.fetchAll($0.database) }
  }

  @Test("B3 a payment that is not approved within 24 hours is declined, also if the clock jumps further")
  func approvalTimesOut() async throws {
    let shop = try await TeaShop()
    let phone = try await child(in: shop)
    try await wait(in: shop, on: phone)
    try await shop.store.changeClock(.advance(milliseconds: Self.day * 1000 - 1))
    #expect(try await shop.store.pendingApprovals().count == 1)
    #expect(try await changes(shop, phone) == [])

    shop.clock.advance(seconds: 400 * Self.day)
    #expect(try await shop.store.pendingApprovals().isEmpty)
    #expect(try await changes(shop, phone) == [StoreChange(.paymentDecided)])
    #expect(try await refusal { try await shop.buy(as: "payment 1", on: phone) } == .approvalDeclined)
    await #expect(throws: AppStoreEmulatorError.noSuchApproval(phone.id, "payment 1")) {
      try await shop.store.decideApproval(of: "payment 1", on: phone.id, isApproved: true)
    }
    #expect(try await shop.store.charges().isEmpty)
    // Decided at the deadline, although the first call came more than a year later.
    #expect(try await payments(in: shop).map(\.approvalDate) == [TeaShop.opening.adding(seconds: Self.day)])
  }

  @Test(
    "rows are settled in the order of their dates, each at its own date, before the first call that comes later",
    arguments: [false, true])
  func ownDates(isMoved: Bool) async throws {
    let shop = try await TeaShop()
    let phones = [try await child(in: shop), try await child(in: shop, "tablet")]
    for (number, phone) in [0, 1, 0].enumerated() {
      try await wait(PaymentID("payment \(number)"), in: shop, on: phones[phone])
      shop.clock.advance(seconds: 10)
    }
    if isMoved {
      try await shop.store.changeClock(.advance(milliseconds: 2 * Self.day * 1000))
    } else {
      shop.clock.advance(seconds: 2 * Self.day)
    }
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "later"))
    let deadlines = [0, 10, 20].map { TeaShop.opening.adding(seconds: Self.day + $0) }
    #expect(try await payments(in: shop).map(\.approvalDate) == deadlines)
    #expect(try await payments(in: shop).map(\.approvalDeadline) == [nil, nil, nil])
  }

  @Test("a restored store settles what became due since its snapshot at its own date")
  func restored() async throws {
    let shop = try await TeaShop()
    let phone = try await child(in: shop)
    try await wait(in: shop, on: phone)
    let snapshot = try await shop.store.snapshot()
    try await shop.store.changeClock(.advance(milliseconds: 3 * Self.day * 1000))
    _ = try await shop.store.restore(snapshot)
    #expect(try await shop.store.pendingApprovals().isEmpty)
    #expect(try await payments(in: shop).map(\.approvalDate) == [TeaShop.opening.adding(seconds: Self.day)])
  }

  @Test("a decided payment, and one of an earlier version, has no deadline")
  func noDeadline() async throws {
    let shop = try await TeaShop()
    let phone = try await child(in: shop)
    try await wait("declined", in: shop, on: phone)
    try await wait("old", in: shop, on: phone)
    _ = try await shop.store.decideApproval(of: "declined", on: phone.id, isApproved: false)
    try await shop.store.database.write {
      try $0.database.execute(sql: "UPDATE payment SET approvalDeadline = NULL WHERE paymentID = 'old'")
    }
    shop.clock.advance(seconds: 400 * Self.day)
    #expect(try await shop.store.pendingApprovals().map(\.payment.paymentID) == ["old"])
    #expect(try await changes(shop, phone) == [StoreChange(.paymentDecided)])
  }

  // MARK: The timer

  @Test(
    "a device that waits is notified at the date, without another call, however fast the clock goes",
    arguments: [1.0, 1000.0])
  func timer(rate: Double) async throws {
    let timer = ManualTimer()
    let shop = try await TeaShop(rate: rate, sleep: timer.sleep)
    let phone = try await child(in: shop)
    try await wait(in: shop, on: phone)
    #expect(await timer.next() == Int(Double(Self.day) * 1000 / rate))
    let count = shop.store.database.deviceChanges.count
    shop.clock.advance(seconds: Int64((Double(Self.day) / rate).rounded(.up)))
    timer.fire()
    await shop.store.database.deviceChanges.wait(beyond: count, seconds: 3600)
    #expect(try await changes(shop, phone) == [StoreChange(.paymentDecided)])
  }

  @Test(
    "the timer follows the clock: it is set again when the clock is moved, and not set while the clock stands still")
  func timerFollowsClock() async throws {
    let timer = ManualTimer()
    let shop = try await TeaShop(sleep: timer.sleep)
    let phone = try await child(in: shop)
    try await wait(in: shop, on: phone)
    #expect(await timer.next() == 86_400_000)
    try await shop.store.changeClock(.advance(milliseconds: 400_000))
    #expect(await timer.next() == 86_000_000)
    try await shop.store.changeClock(rate: 0)
    // No timer is set while the clock stands still, so the next one belongs to the next rate.
    try await shop.store.changeClock(rate: 2)
    #expect(await timer.next() == 43_000_000)
  }

  @Test("a store that is opened after the date settles what was due")
  func opened() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    let phone = try await child(in: shop)
    try await wait(in: shop, on: phone)
    try shop.store.close()
    let timer = ManualTimer()
    let again = try await TeaShop(
      directory: folder.url, opening: TeaShop.opening.adding(seconds: Self.day), sleep: timer.sleep)
    #expect(try await again.store.pendingApprovals().isEmpty)
    #expect(try await payments(in: again).map(\.approvalDate) == [TeaShop.opening.adding(seconds: Self.day)])
    try again.store.close()
  }

  // MARK: Bounded commits

  /// Returns a shop whose customer has more interrupted purchases than one commit settles.
  private func crowded(directory: URL? = nil, keys: ScratchFolder? = nil) async throws -> TeaShop {
    let shop = try await TeaShop(directory: directory, keyDirectory: keys?.url)
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .needsAttention }
    for number in 0..<120 {
      let phone = try await shop.phone("phone \(number)")
      #expect(try await refusal { try await shop.buy(on: phone) } == .purchaseInterrupted)
    }
    return shop
  }

  @Test("B9 many interrupted purchases are bought in several commits, once each, also across a restart")
  func boundedCommits() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await crowded(directory: folder.url)
    let count = shop.store.database.deviceChanges.count
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .valid }
    #expect(try await shop.store.charges().count == 120)
    #expect(shop.store.database.deviceChanges.count == count + 2)
    try shop.store.close()
    let again = try await TeaShop(directory: folder.url, opening: shop.clock.now)
    #expect(try await again.store.charges().count == 120)
    try again.store.close()
  }

  @Test("a row that cannot be settled waits for the next occasion, and keeps no other call from the store")
  func postponed() async throws {
    let keys = try ScratchFolder()
    let timer = ManualTimer()
    let shop = try await TeaShop(keyDirectory: keys.url, sleep: timer.sleep)
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .needsAttention }
    #expect(try await refusal { try await shop.buy(on: try await shop.phone()) } == .purchaseInterrupted)
    // The row is due at a time that needs new keys.
    let due = TeaShop.opening.adding(seconds: 2 * 365 * Self.day)
    try await shop.store.database.write {
      try $0.database.execute(
        sql: "UPDATE interruptedPurchase SET dueDate = ?", arguments: [due.millisecondsSince1970])
    }
    shop.loseKeys(in: keys)
    #expect(try await shop.store.charges().isEmpty)
    let waiting = try await shop.store.database.read { try InterruptedPurchase.fetchAll($0.database) }
    #expect(waiting.map(\.dueDate) == [nil])
  }

  @Test("whatever the reason, a row that cannot be settled is reported, and the store can still be reset")
  func anyError() async throws {
    let problems = LockedValue<[StoreProblem]>([])
    let shop = try await TeaShop(report: { problem in problems.withLock { $0.append(problem) } })
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .needsAttention }
    #expect(try await refusal { try await shop.buy(on: try await shop.phone()) } == .purchaseInterrupted)
    let due = TeaShop.opening.adding(seconds: Self.day)
    try await shop.store.database.write { work in
      try work.database.execute(
        sql: "UPDATE interruptedPurchase SET dueDate = ?", arguments: [due.millisecondsSince1970])
      // The epoch has no transaction numbers left.
      try work.database.execute(sql: "UPDATE store SET nextSequence = 1000000000")
    }
    shop.clock.advance(seconds: 2 * Self.day)
    #expect(try await shop.store.charges().isEmpty)
    #expect(
      problems.value == [
        .postponed("InterruptedPurchases", due: due, reason: "\(AppStoreEmulatorError.epochExhausted)")
      ])
    _ = try await shop.store.reset()
  }

  @Test("closing a store ends the waiting for its requests and faults, and for changes")
  func closed() async throws {
    let shop = try await TeaShop()
    try shop.store.set(Fault(HeldRequestFault(), id: "held"))
    let waits = [
      Task { _ = try await shop.store.request(RequestFilter(.verifyReceipt)) },
      Task { try await shop.store.untilFault("held") },
      Task { [signal = shop.store.database.deviceChanges] in
        await signal.wait(beyond: signal.count, seconds: 3600)
        throw CancellationError()
      },
    ]
    try shop.store.close()
    for wait in waits { await #expect(throws: CancellationError.self) { try await wait.value } }
  }
}

/// A sleep that the test ends, and that reports its length when it begins.
private final class ManualTimer: Sendable {
  private let begun = AsyncStream.makeStream(of: Int.self)
  private let pauses = LockedValue<[AsyncStream<Void>.Continuation]>([])

  @Sendable func sleep(_ duration: Duration) async {
    let (stream, end) = AsyncStream.makeStream(of: Void.self)
    pauses.withLock { $0.append(end) }
    begun.continuation.yield(Int(duration.milliseconds))
    for await _ in stream {}
  }

  /// Returns the length of the next sleep, in milliseconds.
  func next() async -> Int? { await begun.stream.first { _ in true } }

  /// Ends all sleeps.
  func fire() {
    for pause in pauses.value { pause.finish() }
  }
}
