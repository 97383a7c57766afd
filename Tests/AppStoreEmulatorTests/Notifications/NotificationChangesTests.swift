import AppStoreServerAPI
import Foundation
import SharedFixtures
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// What happens to an attempt that has begun, or waits, when something changes.
@Suite("Attempts to send a notification, and changes meanwhile", .timeLimit(.minutes(30)))
struct NotificationChangesTests {
  private let other = URL(string: "https://other.example/notifications")!

  private func uuids(_ deliveries: [NotificationReceiver.Delivery], to url: URL) -> [String?] {
    deliveries.filter { $0.url == url }.map { $0.notification?.payload.notificationUUID }
  }

  private func results(_ notification: StoredNotification) -> [String] {
    notification.attempts.map(\.result.rawValue)
  }

  @Test("while an attempt is under way, none begins at a new address; a success there is the last attempt")
  func addressDuringAttempt() async throws {
    let (receiver, gate) = (NotificationReceiver(), Gate())
    let shop = try await TeaShop.notifying(over: receiver)
    receiver.answer { url in
      if url != TeaShop.server { return 200 }
      await gate.pass()
      return 500
    }
    try await shop.purchase(in: .production)
    await gate.untilCallerWaits()
    try await shop.purchase(in: .sandbox)
    let uuids = try await shop.notifications().map(\.uuid)
    let arrived = Gate()
    receiver.answer { _ in
      await arrived.pass()
      return 200
    }
    try await shop.store.setNotificationURL(other)
    // The second one is not under way, and is sent to the new address; the first one would come before it.
    await arrived.untilCallerWaits()
    await arrived.open()
    #expect(self.uuids(receiver.take(), to: other) == [uuids[1]])
    await gate.open()
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    #expect(try await shop.notifications().map(results) == [["UNSUCCESSFUL_HTTP_RESPONSE_CODE"], ["SUCCESS"]])
    for _ in 0..<3 {
      try await shop.advance(hours: 1)
      try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    }
    #expect(self.uuids(receiver.take(), to: other) == [uuids[0]])
    let first = try await shop.notifications()[0]
    #expect(results(first) == ["UNSUCCESSFUL_HTTP_RESPONSE_CODE", "SUCCESS"])
    #expect(first.state == .sent && first.dueDate == nil)
  }

  @Test("the sandbox tries once, also if the address changes during the attempt")
  func sandboxTriesOnce() async throws {
    let (receiver, gate) = (NotificationReceiver(), Gate())
    let shop = try await TeaShop.notifying(over: receiver)
    receiver.answer { _ in
      await gate.pass()
      return 500
    }
    try await shop.purchase()
    await gate.untilCallerWaits()
    try await shop.store.setNotificationURL(other)
    await gate.open()
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    #expect(receiver.take().map(\.url) == [TeaShop.server])
    #expect(try await shop.notifications().map(\.attempts.count) == [1])
    #expect(try await shop.history(.sandbox).map { $0.sendAttempts?.count } == [1])
  }

  enum Change: CaseIterable {
    case newAddress, noAddress, hold, drop, noDelay, noFault, reset, restore
  }

  @Test(
    "an attempt that waits for its delay is made, or not made, as the store is after the wait",
    arguments: Change.allCases)
  func delayed(_ change: Change) async throws {
    let (receiver, waits) = (NotificationReceiver(), ManualWaits<Duration>())
    let shop = try await TeaShop.notifying(over: receiver) { duration in
      guard duration == .milliseconds(1_500) else {
        try? await Task.sleep(for: .seconds(3_600))
        return
      }
      await waits.wait(duration)
    }
    let store = shop.store
    let snapshot = try await store.snapshot()
    if change == .noFault {
      try store.set(Fault(NotificationLateFault(delayMilliseconds: 1_500), count: 1))
    } else {
      try store.changeNotificationPolicy { $0.delayMilliseconds = 1_500 }
    }
    try await shop.purchase()
    #expect(await waits.next() == .milliseconds(1_500))
    switch change {
    case .newAddress:
      try await store.setNotificationURL(other)
      // The attempt at the new address waits in its turn.
      #expect(await waits.next() == .milliseconds(1_500))
      waits.release()
    case .noAddress: try await store.setNotificationURL(nil)
    case .hold: try store.changeNotificationPolicy { $0.hold = true }
    case .drop:
      try store.changeNotificationPolicy { $0.drop = true }
      waits.release()
    case .noDelay: try store.changeNotificationPolicy { $0.delayMilliseconds = 0 }
    case .noFault: store.removeFaults()
    case .reset: try await store.reset()
    case .restore: try await store.restore(snapshot)
    }
    // Nothing that comes later is behind it.
    try await store.settleNotifications(timeoutMilliseconds: 600_000)
    let (urls, rows) = (receiver.take().map(\.url), try await shop.notifications())
    switch change {
    case .newAddress: #expect(urls == [other])
    case .noDelay, .noFault: #expect(urls == [TeaShop.server])
    default: #expect(urls.isEmpty)
    }
    switch change {
    case .newAddress, .noDelay, .noFault: #expect(rows.map(results) == [["SUCCESS"]])
    case .drop: #expect(rows.map(results) == [["NO_RESPONSE"]])
    case .noAddress: #expect(rows.map(\.state) == [.failed] && rows[0].attempts.isEmpty)
    case .hold:
      #expect(rows.map(\.state) == [.waiting])
      try store.changeNotificationPolicy { ($0.hold, $0.delayMilliseconds) = (false, 0) }
      try await store.settleNotifications(timeoutMilliseconds: 600_000)
      #expect(receiver.take().map(\.url) == [TeaShop.server])
    case .reset, .restore: #expect(rows.isEmpty)
    }
  }

  @Test(
    "an overtaken notification goes to the present address, and not at all once it was given up or the store was restored"
  )
  func overtaken() async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.notifying(over: receiver)
    let store = shop.store
    let snapshot = try await store.snapshot()
    func park() async throws -> String {
      store.removeFaults()
      try store.set(Fault(NotificationOutOfOrderFault(), count: 1))
      try await shop.purchase()
      #expect(try await store.settleNotifications(timeoutMilliseconds: 600_000).held == 1)
      #expect(receiver.take().isEmpty)
      return try #require(try await shop.notifications().last).uuid
    }
    func next() async throws -> String {
      try await shop.purchase()
      #expect(try await store.settleNotifications(timeoutMilliseconds: 600_000).held == 0)
      return try #require(try await shop.notifications().last).uuid
    }
    let moved = try await park()
    try await store.setNotificationURL(other)
    let following = try await next()
    #expect(uuids(receiver.take(), to: other) == [following, moved])
    let givenUp = try await park()
    try await store.setNotificationURL(nil)
    try await store.setNotificationURL(other)
    let later = try await next()
    #expect(uuids(receiver.take(), to: other) == [later])
    #expect(try await store.notification(givenUp).notification.state == .failed)
    _ = try await park()
    try await store.restore(snapshot)
    try await store.setNotificationURL(other)
    let last = try await next()
    #expect(uuids(receiver.take(), to: other) == [last])
  }

  @Test(
    "a resend that is asked for during an attempt is sent after it; the Server API's history has at most six attempts")
  func resendDuringAttempt() async throws {
    let (receiver, gate) = (NotificationReceiver(), Gate())
    let shop = try await TeaShop.notifying(over: receiver)
    receiver.answer { _ in
      await gate.pass()
      return 200
    }
    try await shop.purchase()
    await gate.untilCallerWaits()
    let uuid = try await shop.notifications()[0].uuid
    try await shop.store.resendNotification(uuid)
    await gate.open()
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    let bodies = receiver.take().map(\.body)
    #expect(bodies.count == 2 && bodies.first == bodies.last)
    for _ in 0..<5 {
      try await shop.store.resendNotification(uuid)
      try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    }
    let notification = try await shop.store.notification(uuid).notification
    #expect(notification.attempts.count == 7 && notification.state == .sent)
    #expect(try await shop.history(.sandbox).map { $0.sendAttempts?.count } == [6])
  }

  @Test(
    "F3 all signatures of a notification have one chain, although the machine's year and the OCSP address change while it is signed"
  )
  func oneContext() async throws {
    let shop = try await TeaShop.notifying(over: NotificationReceiver())
    try shop.store.changeNotificationPolicy { $0.hold = true }
    try await shop.purchase(TeaShop.monthly)
    var row = try #require(
      try await shop.store.database.read {
        try NotificationRow.fetchOne($0.database, sql: "SELECT * FROM notification")
      })
    let (count, now) = (LockedValue(0), shop.clock.now)
    let authority = shop.store.authority.issuing {
      let number = count.withLock { count in
        count += 1
        return count
      }
      return IssuingContext(
        wallDate: now.adding(seconds: Int64(number % 2) * 5 * 365 * 86_400),
        ocspResponder: URL(string: "http://127.0.0.1:\(number)/ocsp"))
    }
    let header: String
    (header, row.signatures) = try row.signed(by: authority)
    let payload = try #require(row.signedPayload(header: header))
    let verified = try await SignedDataVerifier(anchors: shop.anchors).verifyNotification(
      payload, expecting: SignedData.Expectation(bundleID: TeaShop.app, environments: [.sandbox]), appAppleID: nil)
    #expect(verified.transaction?.value.productID == TeaShop.monthly)
    #expect(verified.renewalInfo != nil)
  }
}
