import AppStoreEmulator
import ControlAPI
import Foundation
import GRDB
import OpenStoreKit
import PurchaseKit
import SampleApp
import SampleModel
import StoreModel

@testable import CommandLineTool
@testable import Demo

/// The run of an ``UpdateScenario``. Every step can be repeated: it looks first whether it is done.
final class UpdateRun: ScenarioRun {
  private static let plan = SampleCatalog.silverMonthly
  private static let month = CalendarPeriod(value: 1, unit: .month)

  private let environment: RunEnvironment
  private let customer: SampleCustomer
  private let appArguments: [String]
  /// The number of revocations that the app has reported.
  private var revocations = 0
  /// The number of deliveries that the app has reported.
  private var deliveries = 0

  init(_ environment: RunEnvironment, usesBothStoreKits: Bool) {
    self.environment = environment
    customer = SampleCustomer(environment, storeKit: .storeKit2)
    appArguments = usesBothStoreKits ? ["--both-storekits"] : []
    customer.onEvent = { [unowned self] event in
      switch event {
      case .revoked: revocations += 1
      case .succeeded: deliveries += 1
      default: break
      }
    }
  }

  let roles = [ProcessRole.store, .app]

  func start(_ role: ProcessRole) async throws { try await customer.start(role, appArguments: appArguments) }

  func perform() async throws {
    try await live(closing: true)
    try await environment.quit(.app)
    try await environment.quit(.store)
  }

  func recover() async throws {
    try await customer.waitUntilAllIsFinished()
    // The app was closed by the interruption, or the updates are taken in while it runs. The result is the same.
    try await live(closing: false)
  }

  private func live(closing: Bool) async throws {
    begin(.buying)
    for product in [SampleCatalog.sepia, SampleCatalog.greyscale, Self.plan] { try await buy(product) }
    begin(.refundingWhileRunning)
    // After an interruption, sepia may have been bought on the other device already.
    if try await transactions(of: SampleCatalog.sepia).count == 1 {
      try await refund(SampleCatalog.sepia)
      try await waitUntilLocked(SampleCatalog.sepia)
    }
    begin(.updatingWhileClosed)
    if closing { try await environment.quit(.app) }
    try await refund(SampleCatalog.greyscale)
    try await renew(to: 2)
    if closing { try await start(.app) }
    try await waitUntilLocked(SampleCatalog.greyscale)
    try await customer.waitUntilAllIsFinished()
    begin(.renewingWhileRunning)
    try await renew(to: 3)
    try await customer.waitUntilAllIsFinished()
    begin(.buyingOnAnotherDevice)
    try await buyOnAnotherDevice(SampleCatalog.sepia)
    try await waitUntilUsable(SampleCatalog.sepia)
    try await customer.waitUntilAllIsFinished()
  }

  private func begin(_ phase: UpdatePhase) { environment.begin(phase.rawValue) }

  // MARK: Steps

  private func buy(_ product: String) async throws {
    guard try await transactions(of: product).isEmpty else { return }
    try customer.press(.addAnyway(product: product))
    try await customer.waitUntilAllIsFinished()
  }

  /// Another installation of the same customer buys a refunded product, and does not finish it.
  private func buyOnAnotherDevice(_ product: String) async throws {
    guard try await transactions(of: product).count == 1 else { return }
    let address = try await customer.shop.storeAddress()
    let registration = InstallationRegistration(
      installationID: "another-device", bundleID: BundleID(SampleCatalog.bundleIdentifier), environment: .sandbox,
      deviceID: UUID(uuid: (1, 2, 3, 4, 5, 6, 0x40, 8, 0x80, 10, 11, 12, 13, 14, 15, 16)), applicationVersion: "1.0")
    let other = registration.installationID
    do {
      let store = HTTPAppStoreConnection(address)
      _ = try await store.register(registration)
      _ = try await store.signIn(SignInCredentials(account: "customer"), on: other)
      let payment = PaymentRequest(
        paymentID: "on-another-device", productID: ProductID(product), quantity: 1, applicationUsername: nil)
      _ = try await store.confirm(try await store.quote(payment, for: other), for: other)
    } catch is StoreConnectionFailure {
      // The store's process has ended or is ending.
      while true { _ = try await customer.next() }
    }
  }

  private func refund(_ product: String) async throws {
    for transaction in try await transactions(of: product) where transaction.revocationDate == nil {
      try await withStore { try await $0.refund(transaction.transactionId) }
    }
  }

  /// Puts the clock forward to the plan's period with this number, and waits until the store has charged it.
  private func renew(to period: Int) async throws {
    let periods = try await transactions(of: Self.plan)
    guard periods.count < period, let newest = periods.last else { return }
    try await withStore { store in
      try await store.setClock(to: Self.month.end(from: newest.purchaseDate).adding(seconds: 60))
      _ = try await store.subscription(newest.originalTransactionId)
    }
  }

  /// Returns when the app no longer unlocks a refunded filter.
  private func waitUntilLocked(_ product: String) async throws {
    while true {
      let before = revocations
      if try await !canUse(product) { return }
      while revocations == before { _ = try await customer.next() }
    }
  }

  /// Returns when the app unlocks a filter.
  private func waitUntilUsable(_ product: String) async throws {
    while true {
      let before = deliveries
      if try await canUse(product) { return }
      while deliveries == before { _ = try await customer.next() }
    }
  }

  private func canUse(_ product: String) async throws -> Bool {
    try customer.shop.send(.showFilters)
    while true {
      if case .filters(let titles, _, _) = try await customer.next() {
        return titles[product]?.hasPrefix("Use ") ?? false
      }
    }
  }

  // MARK: The store

  /// The transactions of a product, oldest first.
  private func transactions(of product: String) async throws -> [TransactionView] {
    try await withStore { try await $0.transactions() }.filter { $0.productId.rawValue == product }
  }

  /// Calls the store. If it cannot be reached, its process has ended or is ending.
  private func withStore<Value>(_ call: (ControlAPIClient) async throws -> Value) async throws -> Value {
    let address = try await customer.shop.storeAddress()
    do {
      return try await call(ControlAPIClient(address: address))
    } catch let error as ControlAPIError where error.isConnectionFailure {
      while true { _ = try await customer.next() }
    }
  }

  // MARK: Checks

  func check() async throws -> [String] {
    let records = DurableRecords(environment)
    return try customer.problems + checkStore(records) + checkVault(records) + records.checkQueueIsEmpty()
      + checkAnnouncements(records)
  }

  private func checkStore(_ records: DurableRecords) throws -> [String] {
    try records.store.check { database in
      var findings = Findings()
      let sold = try String.fetchAll(database, sql: "SELECT productID FROM charge ORDER BY productID")
      findings.expect(
        // The first period of the plan is free.
        sold
          == [SampleCatalog.sepia, SampleCatalog.sepia, SampleCatalog.greyscale, Self.plan, Self.plan].sorted(),
        "the store has charged \(sold)")
      let refunded = try String.fetchAll(database, sql: "SELECT productID FROM refund ORDER BY productID")
      findings.expect(
        refunded == [SampleCatalog.sepia, SampleCatalog.greyscale].sorted(), "the store has refunded \(refunded)")
      let open = try String.fetchAll(
        database, sql: "SELECT productID FROM transactionRecord WHERE finishedDate IS NULL AND revocationDate IS NULL")
      findings.expect(open.isEmpty, "not finished in the store: \(open)")
      return findings.messages
    }
  }

  private func checkVault(_ records: DurableRecords) throws -> [String] {
    let end = try records.store.values(
      "SELECT max(expiresDate) || '' FROM transactionRecord WHERE productID = ?", of: "transactionRecord",
      arguments: [Self.plan])
    let refunded = try records.store.values(
      "SELECT transactionID FROM transactionRecord WHERE revocationDate IS NOT NULL", of: "transactionRecord")
    let messages = try records.vault()?.open { vault in
      var findings = Findings()
      let manager = EntitlementManager(
        vault: vault, receipts: nil, productIdentifiers: SampleCatalog.filters,
        subscriptionIdentifiers: Set(SampleCatalog.clubPlans))
      let entitlements = manager.entitlements
      findings.expect(vault.findings.isEmpty, "the vault reports tampering: \(vault.findings)")
      // Sepia was bought twice.
      findings.expect(entitlements.count == 4, "the entitlements are \(entitlements)")
      for entitlement in entitlements {
        let isRefunded = refunded.contains(entitlement.originalTransactionIdentifier)
        findings.expect(
          (entitlement.revocationDate != nil) == isRefunded, "refunded or not, against the store: \(entitlement)")
        guard entitlement.productIdentifier == Self.plan else { continue }
        let known = entitlement.expirationDate.map { "\(StoreDate($0).millisecondsSince1970)" }
        findings.expect(known == end.first, "the plan does not end with its newest period: \(entitlement)")
      }
      return findings.messages
    }
    return messages ?? ["there is no vault"]
  }

  /// A held announcement is that of a payment without an outcome. No payment is open any more.
  private func checkAnnouncements(_ records: DurableRecords) throws -> [String] {
    let held = try records.queue.values(
      "SELECT 'announcement ' || announcement FROM deviceTransaction WHERE announcement < 0", of: "deviceTransaction")
    return held.isEmpty ? [] : ["still held: \(held)"]
  }
}
