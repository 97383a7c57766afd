import AppStoreServerAPI
import Foundation
import SharedFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator

/// What tests of servers can do to notifications.
@Suite("The policy of notifications, their faults, and notifications at will", .timeLimit(.minutes(30)))
struct NotificationPolicyTests {
  private func names(_ receiver: NotificationReceiver) -> [String?] { receiver.take().map { $0.notification?.name } }

  /// The numbers of the notifications that were received.
  private func sequences(_ receiver: NotificationReceiver, in shop: TeaShop) async throws -> [Int64?] {
    let numbers = Dictionary(uniqueKeysWithValues: try await shop.notifications().map { ($0.uuid, $0.sequence) })
    return receiver.take().map { $0.notification.flatMap { numbers[$0.payload.notificationUUID] } }
  }

  @Test("held notifications are sent later, with their dates; reordered ones with the newest first")
  func holdAndReorder() async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.notifying(over: receiver)
    try shop.store.changeNotificationPolicy { $0.hold = true }
    for _ in 0..<4 { try await shop.purchase() }
    #expect(try await shop.store.settleNotifications(timeoutMilliseconds: 600_000).held == 4)
    #expect(receiver.take().isEmpty)
    try await shop.advance(hours: 5)
    try shop.store.changeNotificationPolicy { ($0.hold, $0.reorder) = (false, true) }
    #expect(try await shop.store.settleNotifications(timeoutMilliseconds: 600_000).sent == 4)
    #expect(try await sequences(receiver, in: shop) == [4, 3, 2, 1])
    #expect(try await shop.notifications().allSatisfy { $0.attempts.map(\.date) == [$0.date] })
  }

  @Test("dropped notifications never arrive, and doubled ones arrive twice with the same bytes")
  func dropAndDuplicate() async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.notifying(over: receiver)
    try shop.store.changeNotificationPolicy { $0.drop = true }
    try await shop.purchase()
    #expect(try await shop.store.settleNotifications(timeoutMilliseconds: 600_000).failed == 1)
    #expect(receiver.take().isEmpty)
    #expect(try await shop.notifications()[0].attempts.map(\.result.rawValue) == ["NO_RESPONSE"])
    try shop.store.changeNotificationPolicy { ($0.drop, $0.duplicate) = (false, true) }
    try await shop.purchase()
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    let twice = receiver.take()
    #expect(twice.count == 2 && twice[0].body == twice[1].body)
    #expect(throws: AppStoreEmulatorError.self) {
      try shop.store.changeNotificationPolicy { $0.delayMilliseconds = -1 }
    }
  }

  @Test("a delayed notification waits for the machine's time")
  func delay() async throws {
    let (receiver, waits) = (NotificationReceiver(), ManualWaits<Duration>())
    let shop = try await TeaShop.notifying(over: receiver) { duration in
      guard duration == .milliseconds(1_500) else {
        try? await Task.sleep(for: .seconds(3_600))
        return
      }
      await waits.wait(duration)
    }
    try shop.store.changeNotificationPolicy { $0.delayMilliseconds = 1_500 }
    try await shop.purchase()
    #expect(await waits.next() == .milliseconds(1_500))
    #expect(receiver.take().isEmpty)
    waits.release()
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    #expect(receiver.take().count == 1)
  }

  @Test("the faults of notifications: lost, doubled, truncated, and out of order, each for chosen ones")
  func faults() async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.notifying(over: receiver)
    let scope = FaultScope(customer: TeaShop.customer, productID: TeaShop.oolong)
    func buy(_ products: [ProductID]) async throws {
      try shop.store.changeNotificationPolicy { $0.hold = true }
      for product in products { try await shop.purchase(product) }
      try shop.store.changeNotificationPolicy { $0.hold = false }
      try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    }
    try shop.store.set(Fault(NotificationLostFault(), scope: scope, count: 1))
    try await buy([TeaShop.sencha, TeaShop.oolong, TeaShop.oolong])
    #expect(try await sequences(receiver, in: shop) == [1, 3])
    try shop.store.set(Fault(NotificationDoubledFault(), scope: scope, count: 1))
    try await buy([TeaShop.oolong, TeaShop.sencha])
    #expect(try await sequences(receiver, in: shop) == [4, 4, 5])
    try shop.store.set(Fault(NotificationTruncatedFault(), count: 1))
    try await buy([TeaShop.oolong, TeaShop.sencha])
    #expect(try await sequences(receiver, in: shop) == [nil, 7])
    shop.store.removeFaults()
    try shop.store.set(Fault(NotificationOutOfOrderFault(), count: 1))
    try await buy([TeaShop.oolong, TeaShop.sencha, TeaShop.sencha])
    #expect(try await sequences(receiver, in: shop) == [9, 8, 10])
    // Without a next one it waits until the fault is removed.
    shop.store.removeFaults()
    try shop.store.set(Fault(NotificationOutOfOrderFault(), count: 1))
    try await buy([TeaShop.oolong])
    #expect(try await shop.store.settleNotifications(timeoutMilliseconds: 600_000).held == 1)
    #expect(receiver.take().isEmpty)
    shop.store.removeFaults()
    #expect(try await shop.store.settleNotifications(timeoutMilliseconds: 600_000).held == 0)
    #expect(try await sequences(receiver, in: shop) == [11])
    try shop.store.set(Fault(ConnectionResetFault(), scope: FaultScope(calls: [.notification]), count: 1))
    try await buy([TeaShop.oolong])
    #expect(try await shop.notifications().last?.attempts.map(\.result.rawValue) == ["NO_RESPONSE"])
  }

  @Test("a notification is sent again with the same bytes, without a change of its retries")
  func resend() async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.notifying(over: receiver)
    receiver.answer { _ in 500 }
    try await shop.purchase(in: .production)
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    let uuid = try await shop.notifications()[0].uuid
    try await shop.store.changeClock(.advance(milliseconds: 1_800_000))
    try await shop.store.resendNotification(uuid)
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    let pending = try await shop.store.notification(uuid).notification
    #expect(pending.dueDate == pending.date.adding(seconds: 3_600))
    receiver.answer { _ in 206 }
    try await shop.advance(hours: 1)
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    try await shop.store.resendNotification(uuid.uppercased())
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    let bodies = receiver.take().map(\.body)
    #expect(bodies.count == 4 && Set(bodies).count == 1)
    #expect(try await shop.store.notification(uuid).notification.state == .sent)
    await #expect(throws: AppStoreEmulatorError.unknownNotification("none")) {
      try await shop.store.resendNotification("none")
    }
  }

  @Test(
    "every type and subtype can be sent at will, with valid content; TEST has no purchase, and its status follows its attempt"
  )
  func atWill() async throws {
    let receiver = NotificationReceiver()
    let shop = try await TeaShop.notifying(over: receiver)
    let id = try await shop.purchase(TeaShop.monthly)
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    _ = receiver.take()
    #expect(Set(NotificationType.allCases.flatMap(\.subtypes)) == Set(NotificationSubtype.allCases))
    for type in NotificationType.allCases {
      for subtype in [nil] + type.subtypes.map(Optional.some) {
        let about = type == .test ? nil : id
        try await shop.store.sendNotification(type, subtype, about: about, to: TeaShop.app, in: .sandbox)
        try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
        let sent = try #require(receiver.take().first?.notification)
        #expect(sent.payload.notificationType == type && sent.payload.subtype?.known == subtype)
        #expect(sent.payload.content != .unknown)
        if let data = sent.data { #expect((data.signedTransactionInfo == nil) == (type == .test)) }
      }
    }
    await #expect(throws: AppStoreEmulatorError.self) {
      try await shop.store.sendNotification(.refund, .upgrade, to: TeaShop.app, in: .sandbox)
    }
    await #expect(throws: AppStoreEmulatorError.self) {
      try await shop.store.sendNotification(.refund, about: id, to: TeaShop.app, in: .production)
    }
    try shop.store.changeNotificationPolicy { $0.hold = true }
    let test = try await shop.store.sendNotification(.test, to: TeaShop.app, in: .sandbox)
    func status() async throws -> NotificationHistoryItem? {
      try await shop.store.database.read {
        try $0.notifications.testNotification(token: test.uuid, of: TeaShop.app, in: .sandbox)
      }
    }
    #expect(try await status() == nil)
    try shop.store.changeNotificationPolicy { $0.hold = false }
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    #expect(try await status()?.sendAttempts?.map(\.sendAttemptResult.rawValue) == ["SUCCESS"])
    #expect(try await status()?.firstSendAttemptResult == .some(OpenEnum(.success)))
  }
}
