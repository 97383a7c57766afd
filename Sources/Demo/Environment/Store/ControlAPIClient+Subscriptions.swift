import APIDescription
import AppStoreEmulator
import ControlAPI
import Foundation
import StoreModel

extension ControlAPIClient {
  /// Puts an app on sale.
  ///
  /// - Parameter catalog: the contents of a `.storekit` file.
  func serve(_ app: BundleID, catalog: Data) async throws {
    let json = #"{"configurations": [\#(String(decoding: catalog, as: UTF8.self))]}"#
    _ = try await call(ControlEndpoints.serveApp, path: AppPath(app), query: NoMembers(), json: Data(json.utf8))
  }

  /// Buys a product on a customer's behalf.
  func buy(_ product: ProductID, of app: BundleID, for customer: AccountName) async throws -> TransactionView {
    let body = PurchaseRequest(
      bundleId: app, environment: .sandbox, customer: customer, productId: product,
      paymentId: PaymentID(UUID().uuidString))
    return try await call(ControlEndpoints.purchase, body: body).value
  }

  func change(_ change: CustomerChange, of customer: AccountName) async throws {
    _ = try await call(ControlEndpoints.changeCustomer, path: CustomerPath(customer, .sandbox), body: change)
  }

  func now() async throws -> StoreDate { try await call(ControlEndpoints.clock).value.now }

  /// Puts the clock forward to a date, unless the clock is already past it.
  func setClock(to date: StoreDate) async throws {
    guard try await now() < date else { return }
    _ = try await call(ControlEndpoints.changeClock, body: ClockChange(now: date))
  }

  func subscription(_ id: TransactionID) async throws -> SubscriptionHistoryView {
    try await callAllPages(ControlEndpoints.subscription, path: SubscriptionPath(id)).value
  }

  func setAutoRenew(of id: TransactionID, isOn: Bool) async throws {
    var change = SubscriptionChange()
    change.isAutoRenewOn = isOn
    _ = try await call(ControlEndpoints.changeSubscription, path: SubscriptionPath(id), body: change)
  }

  /// Returns a customer's transactions, charges and refunds, oldest first. Up to 1,000 of each.
  func records(
    of customer: AccountName
  ) async throws -> (transactions: [TransactionView], charges: [ChargeView], refunds: [RefundView]) {
    var query = TransactionQuery()
    query.records.customer = customer
    return (
      try await call(ControlEndpoints.transactions, query: query).value.transactions.reversed(),
      try await call(ControlEndpoints.charges, query: query.records).value.charges.reversed(),
      try await call(ControlEndpoints.refunds, query: query.records).value.refunds.reversed()
    )
  }
}
