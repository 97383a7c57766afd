import AppStoreServerAPI
import Foundation
import SharedFixtures
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// When and how often the worker sends.
@Suite("The attempts to send a notification", .timeLimit(.minutes(30)))
struct NotificationScheduleTests {
  private let hour: Int64 = 3_600_000

  private func hours(_ notification: StoredNotification) -> [Int64] {
    notification.attempts.map {
      ($0.date.millisecondsSince1970 - notification.date.millisecondsSince1970) / hour
    }
  }

  @Test("a server that is down until hour 72 has everything by hour 85 in production, and nothing more in the sandbox")
  func downUntilHour72() async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.notifying(over: receiver)
    receiver.answer { _ in 503 }
    try await shop.purchase(in: .production)
    try await shop.purchase(in: .sandbox)
    #expect(try await shop.store.settleNotifications(timeoutMilliseconds: 600_000) == counts(failed: 2))
    for _ in 0..<72 {
      try await shop.advance(hours: 1)
      try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    }
    let whileDown = receiver.take()
    #expect(whileDown.count == 5)
    receiver.answer { _ in 200 }
    try await shop.advance(hours: 12)
    #expect(try await shop.store.settleNotifications(timeoutMilliseconds: 600_000) == counts(failed: 2))
    try await shop.advance(hours: 1)
    #expect(try await shop.store.settleNotifications(timeoutMilliseconds: 600_000) == counts(sent: 1, failed: 1))
    let notifications = try await shop.notifications()
    #expect(notifications.map(hours) == [[0, 1, 13, 37, 85], [0]])
    #expect(notifications.map(\.state) == [.sent, .failed])
    #expect(notifications[0].attempts.map(\.httpStatus) == [503, 503, 503, 503, 200])
    #expect(
      notifications[0].attempts.map(\.result.rawValue)
        == Array(repeating: "UNSUCCESSFUL_HTTP_RESPONSE_CODE", count: 4) + ["SUCCESS"])
    let arrived = receiver.take()
    #expect(arrived.count == 1)
    #expect(whileDown.filter { $0.body == arrived[0].body }.count == 4, "all attempts have the same bytes")
    try await shop.advance(hours: 1_000)
    #expect(try await shop.store.settleNotifications(timeoutMilliseconds: 600_000) == counts(sent: 1, failed: 1))
    #expect(receiver.take().isEmpty)
    // The history has both, also what never arrived.
    let history = try await shop.history(.sandbox)
    #expect(history.map { $0.sendAttempts?.count } == [1])
  }

  @Test("a move of the clock by years returns at once; each overdue attempt is made once, in date order, with its date")
  func years() async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.notifying(over: receiver)
    receiver.answer { _ in throw NotificationFailure(.socketIssue, "refused") }
    try await shop.purchase(TeaShop.monthly, in: .production)
    try await shop.store.changeClock(.advance(milliseconds: 732 * 24 * hour))
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    // Most of them are too old to be listed by now.
    let (rows, made) = try await shop.store.database.read {
      (
        try NotificationRow.fetchAll($0.database, sql: "SELECT * FROM notification ORDER BY sequence"),
        try NotificationAttemptRow.fetchAll($0.database, sql: "SELECT * FROM notificationAttempt ORDER BY sequence")
      )
    }
    #expect(rows.count == 25)
    for row in rows.dropLast() {
      let dates = made.filter { $0.notification == row.sequence }.map(\.date)
      #expect(dates == [0, 1, 13, 37, 85, 157].map { row.date.adding(seconds: $0 * 3_600) })
    }
    #expect(made.allSatisfy { $0.result == "SOCKET_ISSUE" })
    #expect(made.map(\.date) == made.map(\.date).sorted())
    #expect(receiver.take().count == made.count)
  }

  @Test("a dead server delays no other one, and an attempt without an answer ends after 30 seconds")
  func deadServer() async throws {
    let (receiver, dead, live) = (NotificationReceiver(), Gate(), Gate())
    let timeout = ManualWaits<Duration>()
    let shop = try await TeaShop.notifying(over: receiver) { duration in
      if duration == NotificationWorker.timeout {
        await timeout.wait(duration)
      } else {
        try? await Task.sleep(for: .seconds(3_600))
      }
    }
    let deadURL = try #require(URL(string: "http://dead.example/"))
    try await shop.store.setNotificationURLs(
      NotificationURLs(production: deadURL, sandbox: TeaShop.server), of: TeaShop.app)
    receiver.answer { url in
      guard url == deadURL else { return 200 }
      await dead.pass()
      return 200
    }
    try await shop.purchase(in: .production)
    await dead.untilCallerWaits()
    receiver.answer { _ in
      await live.pass()
      return 200
    }
    try await shop.purchase(in: .sandbox)
    // The second server is called while the first one is silent.
    await live.untilCallerWaits()
    #expect(await timeout.next() == .seconds(30))
    #expect(await timeout.next() == .seconds(30))
    timeout.release()
    await live.open()
    await dead.open()
    _ = try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    let results = try await shop.notifications().map { $0.attempts.map(\.result.rawValue) }
    #expect(results == [["TIMED_OUT"], ["TIMED_OUT"]])
  }

  @Test("a killed store sends again: the same UUID and bytes, before the attempt and before its answer")
  func kills() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    // Killed between the commit and the attempt: no worker runs.
    let first = try await TeaShop(directory: folder.url)
    try await first.store.setNotificationURL(TeaShop.server)
    try await first.purchase()
    let made = try await first.notifications()
    try first.store.close()
    // Killed between the attempt and its answer.
    let (receiver, gate) = (NotificationReceiver(), Gate())
    receiver.answer { _ in
      await gate.pass()
      return 200
    }
    let second = try await TeaShop.notifying(directory: folder.url, over: receiver)
    await gate.untilCallerWaits()
    try second.store.close()
    await gate.open()
    let lost = receiver.take()
    receiver.answer { _ in 200 }
    let third = try await TeaShop.notifying(directory: folder.url, over: receiver)
    #expect(try await third.store.settleNotifications(timeoutMilliseconds: 600_000) == counts(sent: 1))
    let arrived = receiver.take()
    #expect(lost.count == 1 && arrived.count == 1)
    #expect(lost[0].body == arrived[0].body)
    #expect(arrived[0].notification?.payload.notificationUUID == made.map(\.uuid).first)
    #expect(try await third.notifications().map(\.attempts.count) == [1])
    // What was sent is what the history has.
    let payload = try await third.store.notification(made[0].uuid).signedPayload
    #expect(arrived[0].body == Data(#"{"signedPayload":"\#(payload ?? "")"}"#.utf8))
    try third.store.close()
  }

  @Test(
    "all overdue attempts to a server that is down are made in the order of their dates; reordered, each time the newest first",
    arguments: [false, true])
  func orderOfRepetitions(newestFirst: Bool) async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.notifying(over: receiver)
    receiver.answer { _ in 503 }
    try shop.store.changeNotificationPolicy { $0.hold = true }
    // Some repetitions are due before the next notification, some after several, some after all of them.
    for minutes in [1, 1, 20, 90, 1, 600, 6_000] as [Int64] {
      try await shop.store.changeClock(.advance(milliseconds: minutes * 60_000))
      try await shop.purchase(in: .production)
    }
    try await shop.advance(hours: 400)
    try shop.store.changeNotificationPolicy { ($0.hold, $0.reorder) = (false, newestFirst) }
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    let made = try await shop.store.database.read {
      try NotificationAttemptRow.fetchAll($0.database, sql: "SELECT * FROM notificationAttempt ORDER BY sequence")
    }.map { [newestFirst ? -$0.notification : 0, $0.date.millisecondsSince1970, $0.notification] }
    #expect(made.count == 7 * 6)
    #expect(made == made.sorted { $0.lexicographicallyPrecedes($1) }, "\(made)")
  }

  @Test("what cannot be signed fails, and its attempt says why")
  func unsignable() async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.notifying(over: receiver)
    try shop.store.changeNotificationPolicy { $0.hold = true }
    try await shop.purchase()
    try await shop.store.database.write { work in
      // 2100-01-01, after the certificates of all stores.
      try work.database.execute(sql: "UPDATE notification SET signedDate = 4102444800000")
    }
    try shop.store.changeNotificationPolicy { $0.hold = false }
    #expect(try await shop.store.settleNotifications(timeoutMilliseconds: 600_000) == counts(failed: 1))
    let attempt = try #require(try await shop.notifications().first?.attempts.first)
    #expect(attempt.result.rawValue == "OTHER")
    #expect(
      attempt.detail?.hasPrefix("it cannot be signed: nothing can be signed at 2100-01-01") == true,
      "\(attempt.detail ?? "")")
    #expect(receiver.take().isEmpty)
  }

  @Test("after a failure of the disk, the worker tries again ten seconds later, with the same bytes")
  func fullDisk() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let (receiver, waits) = (NotificationReceiver(), ManualWaits<Duration>())
    let shop = try await TeaShop.notifying(directory: folder.url, over: receiver) { duration in
      guard duration == .seconds(10) else {
        try? await Task.sleep(for: .seconds(3_600))
        return
      }
      await waits.wait(duration)
    }
    let store = shop.store
    @Sendable func setFull(_ isFull: Bool) async throws {
      try await store.database.read { work in
        let pages = try Int.fetchOne(work.database, sql: "PRAGMA page_count") ?? 0
        _ = try Int.fetchOne(work.database, sql: "PRAGMA max_page_count = \(isFull ? pages : 1_073_741_823)")
      }
    }
    receiver.answer { _ in
      try await setFull(true)
      // The attempt needs more pages than the database has.
      throw NotificationFailure(.other, String(repeating: "no space ", count: 10_000))
    }
    try await shop.purchase()
    #expect(await waits.next() == .seconds(10))
    #expect(try await shop.notifications().map(\.attempts.count) == [0])
    try await setFull(false)
    receiver.answer { _ in 200 }
    waits.release()
    #expect(try await store.settleNotifications(timeoutMilliseconds: 600_000) == counts(sent: 1))
    let arrived = receiver.take()
    #expect(arrived.count == 2 && arrived.first?.body == arrived.last?.body)
    #expect(try await shop.notifications().first?.attempts.map(\.result.rawValue) == ["SUCCESS"])
    try store.close()
  }

  @Test("F3 every signature of a notification is valid, for a store years ahead as well")
  func signatures() async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.notifying(over: receiver)
    try await shop.advance(hours: 24 * 365 * 5)
    try await shop.purchase(TeaShop.monthly, in: .production)
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    let delivery = try #require(receiver.take().first)
    let body = try JSONDecoder().decode(SignedNotification.self, from: delivery.body)
    let app = try await shop.store.app(TeaShop.app)
    let verified = try await SignedDataVerifier(anchors: shop.anchors).verifyNotification(
      body.signedPayload, expecting: SignedData.Expectation(bundleID: TeaShop.app, environments: [.production]),
      appAppleID: app.appAppleID)
    #expect(verified.transaction?.value.productID == TeaShop.monthly)
    #expect(verified.renewalInfo?.value.autoRenewStatus == .on)
  }

  private func counts(sent: Int = 0, failed: Int = 0, held: Int = 0) -> NotificationCounts {
    var counts = NotificationCounts()
    (counts.sent, counts.failed, counts.held) = (sent, failed, held)
    return counts
  }
}

extension TeaShop {
  /// The history that the Server API answers, of one page.
  func history(
    _ environment: StoreEnvironment, after: Int64? = nil, limit: Int = 100,
    _ change: @escaping @Sendable (inout NotificationHistoryFilter) -> Void = { _ in }
  ) async throws -> [NotificationHistoryItem] {
    try await store.database.read { work in
      var filter = NotificationHistoryFilter(
        bundleID: TeaShop.app, environment: environment,
        dates: StoreDate(millisecondsSince1970: 0)...work.now)
      change(&filter)
      return try work.notifications.history(filter, after: after, limit: limit).items.map(\.item)
    }
  }
}
