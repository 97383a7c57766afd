import APIDescription
import AppStoreEmulator
import ControlAPI
import Foundation
import GRDB
import SampleModel
import StoreModel

@testable import CommandLineTool
@testable import Demo

/// The store of a ``NotificationScenario``, and its attempts to notify the server.
final class NotificationRun: ScenarioRun {
  private static let hour: Int64 = 3_600_000

  let shop: SampleShop
  private let environment: RunEnvironment
  private let answersAfterInterruptions: LockedValue<[String: Int]>
  /// The notifications that the server had stored when it was interrupted; nil if it was not.
  private var storedAtInterruption: Set<String>?
  /// The store's notifications at the end, oldest first.
  private var notifications: [NotificationView] = []
  /// The number of attempts that have failed, as far as this run knows.
  private var failures = 0

  init(_ environment: RunEnvironment, _ answersAfterInterruptions: LockedValue<[String: Int]>) {
    (self.environment, self.answersAfterInterruptions) = (environment, answersAfterInterruptions)
    // What is lost must come again by the store's next attempt.
    shop = SampleShop(environment, serverReadsHistory: false)
  }

  let roles = [ProcessRole.store, .server]

  func start(_ role: ProcessRole) async throws {
    switch role {
    case .store: try shop.startStore()
    case .server, .app: try await shop.startServer()
    }
  }

  /// Buys fifty pages in production, where the store makes several attempts, and redeems them.
  func redeem(by key: String) async throws {
    let store = ControlAPIClient(address: try await shop.storeAddress())
    let operators = OperatorClient(address: try await shop.purchaseServer(), key: key)
    try await operators.list(NotificationScenario.product.rawValue, credits: (SampleCatalog.pagesUnit, 50))
    _ = try await store.call(
      ControlEndpoints.addCustomer,
      body: CustomerView(Customer(environment: .production, name: NotificationScenario.customer)))
    let purchase = PurchaseRequest(
      bundleId: NotificationScenario.app, environment: .production, customer: NotificationScenario.customer,
      productId: NotificationScenario.product)
    let bought = try await store.call(ControlEndpoints.purchase, body: purchase).value.transactionId
    let answer = try await operators.redeem(
      try await store.receipt(of: bought), bought.rawValue, as: NotificationScenario.product.rawValue,
      token: try await operators.installation())
    guard answer.status == 200 else { throw DemoFailure("the pages were not redeemed: HTTP \(answer.status)") }
  }

  func perform() async throws {
    try await recover()
    try await environment.quit(.server)
    try await environment.quit(.store)
  }

  func recover() async throws {
    let store = ControlAPIClient(address: try await shop.storeAddress())
    try await store.notify(try await shop.purchaseServer())
    let bought = TransactionPath(try await store.transactions()[0].transactionId)
    environment.begin(NotificationPhase.refunding.rawValue)
    if try await made(by: store).isEmpty {
      _ = try await store.call(ControlEndpoints.refund, path: bought, body: RefundRequest())
    }
    try await untilReceived(store)
    environment.begin(NotificationPhase.reversing.rawValue)
    if try await made(by: store).count < 2 {
      _ = try await store.call(ControlEndpoints.reverseRefund, path: bought)
    }
    try await untilReceived(store)
    notifications = try await made(by: store)
  }

  private func made(by store: ControlAPIClient) async throws -> [NotificationView] {
    try await store.call(ControlEndpoints.notifications, query: NotificationQuery()).value.notifications.reversed()
  }

  /// Waits until the server has accepted every notification. The store's next attempt comes an hour later.
  private func untilReceived(_ store: ControlAPIClient) async throws {
    while true {
      _ = try await store.call(ControlEndpoints.settleNotifications, body: SettleRequest(timeoutMilliseconds: 600_000))
      let made = try await made(by: store)
      let failed = made.flatMap(\.attempts).filter { $0.httpStatus == nil }.count
      if failed > failures {
        failures = failed
        // The server's process has ended or is ending.
        while true { _ = try await environment.nextLine() }
      }
      guard made.contains(where: { $0.state != .sent }) else { return }
      _ = try await store.call(
        ControlEndpoints.changeClock, body: ClockChange(advanceMilliseconds: Self.hour))
    }
  }

  // MARK: Checking

  private var ledger: CopiedDatabase { CopiedDatabase(file: DeveloperServer.ledger(in: environment)) }

  func diskState(of role: ProcessRole) throws -> String? {
    guard role == .server else { return nil }
    let stored = try ledger.values("SELECT uuid FROM notification", of: "notification")
    storedAtInterruption = Set(stored)
    let types = try ledger.values("SELECT type FROM notification ORDER BY type", of: "notification")
    return types.isEmpty ? "nothing" : types.joined(separator: ", ")
  }

  func check() throws -> [String] {
    var findings = Findings()
    findings.expect(
      notifications.map(\.type) == ["REFUND", "REFUND_REVERSED"], "the store has notified \(notifications.map(\.type))")
    for notification in notifications {
      let answers = notification.attempts.map(\.answer)
      findings.expect(
        notification.state == .sent && answers.dropLast().allSatisfy { $0 == nil }, "answers: \(answers)")
      let isRepeated = answers.count > 1
      let wasStored = isRepeated && storedAtInterruption?.contains(notification.uuid) == true
      let answer = answers.last.flatMap(\.self) ?? "none"
      findings.expect(
        answer == "{\"result\":\"\(wasStored ? "known" : "recorded")\"}", "the last answer is \(answer) of \(answers)")
      if isRepeated { answersAfterInterruptions.withLock { $0[answer, default: 0] += 1 } }
    }
    return try findings.messages
      + ledger.check { database in
        var findings = Findings()
        func expect(_ sql: String, _ expected: [String]) throws {
          let found = try String.fetchAll(database, sql: sql)
          findings.expect(found == expected, "\(sql): \(found) instead of \(expected)")
        }
        try expect(
          "SELECT type || ' ' || state || ' ' || source FROM notification ORDER BY type",
          ["REFUND recorded sent", "REFUND_REVERSED recorded sent"])
        try expect(
          "SELECT cause || ' ' || amount || ' ' || balance FROM credit_movement ORDER BY sequence",
          ["purchase 50 50", "refund -50 0", "refundReversed 50 50"])
        try expect("SELECT given || ' ' || taken FROM claim", ["50 0"])
        try expect("SELECT customer FROM ledger_check", [])
        return findings.messages
      }
  }
}
