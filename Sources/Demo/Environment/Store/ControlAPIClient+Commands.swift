import APIDescription
import AppStoreEmulator
import ControlAPI
import Foundation
import SampleModel
import StoreModel

// The commands of the script to the store.
extension ControlAPIClient {
  /// Returns the recorded requests that match a query.
  func requests(_ makeQuery: (inout RequestQuery) -> Void) async throws -> [RequestView] {
    var query = RequestQuery()
    makeQuery(&query)
    return try await call(ControlEndpoints.requests, query: query).value.requests
  }

  /// Returns once a request matches a query.
  func waitForRequest(_ makeQuery: (inout RequestQuery) -> Void) async throws {
    try await Repetition.untilTrue { try await !requests(makeQuery).isEmpty }
  }

  func removeRequests() async throws { _ = try await call(ControlEndpoints.removeRequests) }

  /// Returns once the fault `id` holds a request.
  func waitUntilHeld(_ id: FaultID) async throws {
    try await Repetition.untilTrue { try await call(ControlEndpoints.fault, path: FaultPath(id)).value.waiting > 0 }
  }

  func set(_ fault: Fault) async throws { _ = try await call(ControlEndpoints.setFault, body: fault) }

  func removeFaults() async throws { _ = try await call(ControlEndpoints.removeFaults) }

  func add(_ customer: AccountName) async throws {
    _ = try await call(
      ControlEndpoints.addCustomer, body: CustomerView(Customer(environment: .sandbox, name: customer)))
  }

  /// Makes the store send the notifications of an app to its purchase server.
  ///
  /// - Parameter server: the server's address.
  func notify(_ server: URL, about app: String = SampleCatalog.bundleIdentifier) async throws {
    let address = server.appending(path: "v1/apps/\(app)/notifications").absoluteString
    _ = try await call(
      ControlEndpoints.setNotificationURLs, path: AppPath(BundleID(app)),
      body: NotificationURLsView(production: address, sandbox: address))
  }

  /// Lets all notifications get lost from now on, or sends them again.
  func setNotificationsDropped(_ areDropped: Bool) async throws {
    _ = try await call(
      ControlEndpoints.changeNotificationPolicy, body: NotificationPolicyChange(drop: areDropped))
  }

  /// Returns when every notification that is due was sent or lost.
  func settleNotifications() async throws {
    _ = try await call(ControlEndpoints.settleNotifications, body: SettleRequest())
  }

  /// Buys a product on the demo customer's behalf.
  func buy(_ product: ProductID, of app: BundleID) async throws {
    let body = PurchaseRequest(
      bundleId: app, environment: .sandbox, customer: "customer", productId: product,
      paymentId: PaymentID(UUID().uuidString))
    _ = try await call(ControlEndpoints.purchase, body: body)
  }

  /// Changes the demo's customer.
  func change(_ change: CustomerChange) async throws {
    _ = try await call(ControlEndpoints.changeCustomer, path: CustomerPath("customer", .sandbox), body: change)
  }

  /// Changes the price of a product.
  ///
  /// - Parameter price: the price in thousandths of the currency's unit.
  func change(price: Int64, of product: String) async throws {
    _ = try await call(
      ControlEndpoints.changeProduct,
      path: ProductPath(ProductID(product), of: BundleID(SampleCatalog.bundleIdentifier)),
      body: ProductChangeRequest(price: Milliunits(price)))
  }

  /// Puts another app on sale, with the products of the sample app.
  func serve(_ app: String) async throws {
    let catalog = String(decoding: Data(PackageResources.SampleApp_storekit), as: UTF8.self)
    _ = try await call(
      ControlEndpoints.serveApp, path: AppPath(BundleID(app)), query: NoMembers(),
      json: Data(#"{"configurations": [\#(catalog)]}"#.utf8))
  }

  func refund(_ transaction: TransactionID) async throws {
    _ = try await call(ControlEndpoints.refund, path: TransactionPath(transaction), body: RefundRequest())
  }

  func reverseRefund(of transaction: TransactionID) async throws {
    _ = try await call(ControlEndpoints.reverseRefund, path: TransactionPath(transaction))
  }

  /// Approves or declines the oldest payment that waits for approval.
  func decideApproval(_ decision: ApprovalDecision.Decision) async throws {
    guard let approval = try await call(ControlEndpoints.approvals, query: PageQuery(limit: 1)).value.approvals.first
    else {
      throw DemoFailure("No payment waits for approval.")
    }
    _ = try await call(
      ControlEndpoints.decideApproval, path: PaymentPath(approval.paymentId, on: approval.installationId),
      body: ApprovalDecision(decision: decision))
  }
}
