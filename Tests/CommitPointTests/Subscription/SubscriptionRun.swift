import AppStoreEmulator
import ControlAPI
import Foundation
import GRDB
import StoreModel

@testable import CommandLineTool
@testable import Demo

/// The life of the subscription of a ``SubscriptionScenario``. Every step can be repeated: a purchase has an id, and the clock
/// is set to a date.
final class SubscriptionRun: ScenarioRun {
  private static let app: BundleID = "com.example.club"
  private static let customer: AccountName = "customer"

  private let environment: RunEnvironment
  private let shop: SampleShop

  init(_ environment: RunEnvironment) {
    self.environment = environment
    shop = SampleShop(environment)
  }

  let roles = [ProcessRole.store]

  func start(_ role: ProcessRole) async throws { try shop.startStore() }

  func serveCatalog() async throws {
    try await withStore { try await $0.serve(Self.app, catalog: Data(PackageResources.Club_storekit)) }
  }

  func perform() async throws {
    try await live()
    try await environment.quit(.store)
  }

  func recover() async throws { try await live() }

  private func live() async throws {
    begin(.subscribing)
    let first = try await buy(SubscriptionStory.silver, as: "subscribe")
    let month = CalendarPeriod(value: 1, unit: .month)
    begin(.renewing)
    try await travel(to: month.end(from: first.purchaseDate).adding(seconds: 3600), first.transactionId)
    begin(.upgrading)
    let second = try await buy(SubscriptionStory.gold, as: "upgrade")
    begin(.failing)
    try await setPaymentMethod(.declined)
    let end = month.end(from: second.purchaseDate)
    try await travel(to: end.adding(seconds: 5 * 86_400), first.transactionId)
    begin(.recovering)
    try await setPaymentMethod(.valid)
    _ = try await withStore { try await $0.subscription(first.transactionId) }
  }

  private func begin(_ phase: SubscriptionPhase) { environment.begin(phase.rawValue) }

  private func buy(_ product: ProductID, as payment: PaymentID) async throws -> TransactionView {
    try await withStore { store in
      try await store.call(
        ControlEndpoints.purchase,
        body: PurchaseRequest(
          bundleId: Self.app, environment: .sandbox, customer: Self.customer, productId: product, paymentId: payment)
      ).value
    }
  }

  private func setPaymentMethod(_ method: Customer.PaymentMethod) async throws {
    try await withStore { try await $0.change(CustomerChange(paymentMethod: method), of: Self.customer) }
  }

  /// Puts the clock forward, and waits until everything that is due is settled.
  private func travel(to date: StoreDate, _ subscription: TransactionID) async throws {
    try await withStore { store in
      try await store.setClock(to: date)
      _ = try await store.subscription(subscription)
    }
  }

  /// Calls the store. If it cannot be reached, its process has ended or is ending.
  private func withStore<Value>(_ call: (ControlAPIClient) async throws -> Value) async throws -> Value {
    let address = try await shop.storeAddress()
    do {
      return try await call(ControlAPIClient(address: address))
    } catch let error as ControlAPIError where error.isConnectionFailure {
      while true { _ = try await environment.nextLine() }
    }
  }

  func check() async throws -> [String] {
    try DurableRecords(environment).store.check { database in
      var findings = Findings()
      func expect(_ sql: String, _ expected: [String]) throws {
        let found = try String.fetchAll(database, sql: sql)
        findings.expect(found == expected, "\(sql): \(found) instead of \(expected)")
      }
      let (silver, gold) = (SubscriptionStory.silver.rawValue, SubscriptionStory.gold.rawValue)
      let products = [silver, silver, gold, gold]
      try expect("SELECT productID FROM transactionRecord ORDER BY sequence", products)
      try expect("SELECT productID FROM charge ORDER BY rowid", products)
      try expect(
        "SELECT DISTINCT originalTransactionID FROM charge JOIN transactionRecord USING (transactionID)",
        [
          try String.fetchOne(database, sql: "SELECT transactionID FROM transactionRecord ORDER BY sequence") ?? "none"
        ])
      try expect("SELECT productID FROM refund", [silver])
      try expect(
        "SELECT step FROM subscriptionStep ORDER BY sequence",
        ["subscribed", "renewed", "upgraded", "gracePeriodBegan", "recovered"])
      return findings.messages
    }
  }
}

extension ControlAPIError {
  var isConnectionFailure: Bool {
    switch self {
    case .noStore, .noAnswer: true
    case .notAStore, .tokenRequired, .refused: false
    }
  }
}
