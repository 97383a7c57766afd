import AppStoreEmulator
import Hummingbird
import StoreModel
import WebSupport

/// The routes of `/console/customers` and of a customer's page.
struct CustomerPages: Sendable {
  let console: ConsoleContext

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/console/customers") { request, _ in
      try await console.answering(in: .customers, for: request) { try await list(request) }
    }
    router.get("/console/customer") { request, _ in
      try await console.answering(in: .customers, for: request) { try await customer(request) }
    }
  }

  private func list(_ request: Request) async throws -> Response {
    let query = try AddressQuery(request)
    let (search, environment) = (query["q"], try query.environment())
    let found = try await console.store.customers(
      like: search, in: environment, limit: CustomerListPage.largestNumber + 1)
    let page = CustomerListPage(
      customers: Array(found.prefix(CustomerListPage.largestNumber)),
      isCut: found.count > CustomerListPage.largestNumber, search: search, environment: environment,
      approvals: try await ApprovalRow.all(fitting: RecordFilter(), in: console.store),
      calls: console.calls(for: request))
    return console.page("Customers", in: .customers, for: request, page.html)
  }

  private func customer(_ request: Request) async throws -> Response {
    let (query, store) = (try AddressQuery(request), console.store)
    let name = AccountName(try query.required("name"))
    guard let environment = try query.environment() else {
      throw PageRefusal(.badRequest, "The address lacks environment.")
    }
    let customer = try await store.customer(name, environment)
    let skipped = Int(try query.number("skip", 0...1_000_000) ?? 0)
    let timeline = try await store.timeline(
      ofCustomer: name, environment, skipping: skipped, limit: CustomerTimelineList.pageSize)
    let entitlements = try await store.entitlements(of: name, environment, limit: EntitlementTable.largestNumber)
    let subscriptions = try await store.subscriptionPage(
      of: name, in: environment, limit: SubscriptionTable.largestNumber
    ).elements
    let page = CustomerPage(
      customer: customer, totals: try await store.totals(of: name, environment), entitlements: entitlements,
      timeline: timeline, skipped: skipped, subscriptions: subscriptions,
      names: try await ProductNames(
        of: CustomerTimelineList.products(of: timeline)
          + entitlements.transactions.map { ($0.record.bundleID, $0.record.productID) }
          + subscriptions.map { ($0.bundleID, $0.productID) }, in: store),
      approvals: try await ApprovalRow.all(fitting: RecordFilter(environment: environment, account: name), in: store),
      installations: try await store.installations(of: name, environment, limit: 50),
      calls: console.calls(for: request))
    return console.page("Customer", in: .customers, for: request, page.html)
  }
}
