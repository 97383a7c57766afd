import AppStoreServerAPI
import Foundation
import SharedFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Which notifications are made and kept.
@Suite("The outbox of notifications", .timeLimit(.minutes(30)))
struct NotificationLifecycleTests {
  @Test("without an address there are none, and the first one is that of the next event")
  func address() async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.lasting()
    shop.store.deliverNotifications(over: receiver)
    try await shop.purchase(TeaShop.monthly)
    try await shop.store.setNotificationURLs(NotificationURLs(sandbox: TeaShop.server), of: TeaShop.app)
    try await shop.purchase(in: .production)
    try await shop.purchase()
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    #expect(receiver.take().compactMap(\.notification?.name) == ["ONE_TIME_CHARGE"])
    // The catalog is replaced, and the address stays.
    try await shop.sell(TeaShop.lastingCatalog())
    #expect(try await shop.store.notificationURLs(of: TeaShop.app).sandbox == TeaShop.server)
    // Without the address, pending attempts are given up.
    try shop.store.changeNotificationPolicy { $0.hold = true }
    try await shop.purchase()
    try await shop.store.setNotificationURLs(NotificationURLs(), of: TeaShop.app)
    try shop.store.changeNotificationPolicy { $0.hold = false }
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    #expect(receiver.take().isEmpty)
    #expect(try await shop.notifications().map(\.state) == [.sent, .failed])
  }

  @Test(
    "an address is refused that is not of HTTP, has no host, or contains a user or a fragment",
    arguments: [
      "ftp://server.example/", "server.example", "http:///path", "https://user@server.example/",
      "http://a:b@c.example/",
      "https://server.example/#fragment", "", "http://server.example:0/", "file:///etc/passwd",
    ])
  func refusedAddress(_ text: String) async throws {
    #expect(throws: AppStoreEmulatorError.self) { try NotificationURLs.url(text) }
  }

  @Test("a reset and a restored snapshot remove all notifications, keep the addresses, and notify of nothing old")
  func resetAndSnapshot() async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.notifying(over: receiver)
    try shop.store.changeNotificationPolicy { $0.hold = true }
    try await shop.purchase(TeaShop.monthly)
    try await shop.purchase()
    #expect(try await shop.store.settleNotifications(timeoutMilliseconds: 600_000).held == 2)
    let snapshot = try await shop.store.snapshot()
    try await shop.store.reset()
    #expect(shop.store.notificationPolicy == NotificationPolicy())
    #expect(try await shop.store.settleNotifications(timeoutMilliseconds: 600_000) == NotificationCounts())
    #expect(try await shop.notifications().isEmpty)
    let other = URL(string: "http://other.example/")
    try await shop.store.setNotificationURLs(NotificationURLs(sandbox: other), of: TeaShop.app)
    try await shop.store.restore(snapshot)
    #expect(try await shop.store.settleNotifications(timeoutMilliseconds: 600_000) == NotificationCounts())
    #expect(try await shop.store.notificationURLs(of: TeaShop.app).sandbox?.host() == "other.example")
    #expect(receiver.take().isEmpty)
    // Later events of restored purchases notify.
    try await shop.advance(hours: 24 * 32)
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    #expect(receiver.take().compactMap(\.notification?.name) == ["DID_RENEW"])
  }

  @Test(
    "attempts that were read together are not made after the address was removed or changed, or the store reset",
    arguments: ["removed", "changed", "reset"])
  func changedMeanwhile(_ change: String) async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.notifying(over: receiver)
    try shop.store.changeNotificationPolicy { $0.hold = true }
    for _ in 0..<4 { try await shop.purchase() }
    let other = URL(string: "http://other.example/")
    receiver.answer { [store = shop.store] url in
      guard url == TeaShop.server else { return 200 }
      switch change {
      case "removed": try await store.setNotificationURLs(NotificationURLs(), of: TeaShop.app)
      case "changed": try await store.setNotificationURLs(NotificationURLs(sandbox: other), of: TeaShop.app)
      default: try await store.reset()
      }
      return 200
    }
    try shop.store.changeNotificationPolicy { $0.hold = false }
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    let hosts = receiver.take().map { $0.url.host() }
    #expect(hosts.filter { $0 == "server.example" }.count == 1)
    // The one under way can be sent to the new address, too, because its result is not stored yet.
    #expect((change == "changed" ? 3...4 : 0...0).contains(hosts.filter { $0 == "other.example" }.count))
  }

  @Test(
    "an upgrade of the store notifies of no earlier event", arguments: ["store", "store-19", "store-20", "history"])
  func upgrade(_ name: String) async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let before = try VersionBefore(name == "history" ? "store" : name)
    defer { before.remove() }
    if name == "history" {
      try Data(contentsOf: VersionBefore.file("history.sqlite")).write(to: folder.url.appending(path: "store.sqlite"))
    }
    let receiver = NotificationReceiver()
    let store = try EmulatedAppStore(.init(directory: name == "history" ? folder.url : before.folder))
    store.deliverNotifications(over: receiver)
    #expect(try await store.notifications().notifications.isEmpty)
    let app = try #require(try await store.apps().first).bundleID
    try await store.setNotificationURL(TeaShop.server)
    #expect(try await store.settleNotifications(timeoutMilliseconds: 600_000).held == 0)
    let (cursor, last) = try await store.database.read {
      (
        try Projection.notifications.position($0.database).eventCursor,
        try Int64.fetchOne($0.database, sql: "SELECT max(sequence) FROM storeEvent") ?? 0
      )
    }
    #expect(cursor >= last)
    // Every notification is that of an event after the upgrade.
    let opened = try await store.clockReading().now
    #expect(try await store.notifications().notifications.allSatisfy { $0.date >= opened.adding(seconds: -60) })
    _ = try await store.sendNotification(.test, to: app, in: .sandbox)
    try await store.settleNotifications(timeoutMilliseconds: 600_000)
    #expect(receiver.take().compactMap(\.notification?.name).contains("TEST"))
    try store.close()
  }

  @Test("notifications go after 180 days of the store, once no attempt is pending")
  func retention() async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.notifying(over: receiver)
    for _ in 0..<20 { try await shop.purchase() }
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    try await shop.advance(hours: 24 * 180)
    #expect(try await shop.notifications().count == 20)
    try await shop.advance(hours: 1)
    #expect(try await shop.notifications().isEmpty)
    #expect(try await shop.store.settleNotifications(timeoutMilliseconds: 600_000) == NotificationCounts())
    for _ in 0..<3 { try await shop.purchase() }
    let left = try await shop.store.database.read {
      try Int.fetchOne($0.database, sql: "SELECT count(*) FROM notification") ?? 0
    }
    #expect(left == 3)
  }

  @Test("the same seed and requests give the same notifications, signatures aside")
  func determinism() async throws {
    func contents(seed: UInt64) async throws -> [[String?]] {
      let shop = try await TeaShop.notifying(over: NotificationReceiver(), seed: seed)
      try await shop.purchase(TeaShop.monthly)
      try await shop.advance(hours: 24 * 62)
      try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
      return try await shop.store.database.read {
        try NotificationRow.fetchAll($0.database, sql: "SELECT * FROM notification ORDER BY sequence")
          .map { [$0.uuid, $0.payload, $0.transactionInfo, $0.renewalInfo] }
      }
    }
    let (first, second) = (try await contents(seed: 7), try await contents(seed: 7))
    #expect(first.count == 3)
    #expect(first == second)
    #expect(try await contents(seed: 8).first?.first != first.first?.first)
    let uuid = try #require(first[0][0])
    #expect(uuid.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
  }

  @Test("a list and a history in pages have each notification once while new ones come")
  func pages() async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.notifying(over: receiver)
    for _ in 0..<10 { try await shop.purchase() }
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    let all = try await shop.notifications()
    var (listed, filter): ([String], NotificationFilter) = ([], NotificationFilter())
    filter.limit = 3
    while true {
      let page = try await shop.store.notifications(filter)
      listed += page.notifications.map(\.uuid)
      try await shop.purchase()
      guard let next = page.next else { break }
      filter.before = next
    }
    #expect(listed == all.reversed().map(\.uuid))
    // The history ends before what was not attempted yet, so the next page has it.
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    try shop.store.changeNotificationPolicy { $0.hold = true }
    var (history, last): ([String], Int64?) = ([], nil)
    for number in 0..<20 {
      let start = last
      let page = try await shop.store.database.read { work in
        try work.notifications.history(
          NotificationHistoryFilter(
            bundleID: TeaShop.app, environment: .sandbox, dates: StoreDate(millisecondsSince1970: 0)...work.now),
          after: start, limit: 4)
      }
      history += try page.items.map { try DecodedNotification(jws: $0.item.signedPayload).payload.notificationUUID }
      last = page.items.last?.sequence ?? last
      if number == 1 { try await shop.purchase() }
      if number == 6 {
        try shop.store.changeNotificationPolicy { $0.hold = false }
        try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
      }
    }
    #expect(history == (try await shop.notifications().map(\.uuid)))
  }
}
