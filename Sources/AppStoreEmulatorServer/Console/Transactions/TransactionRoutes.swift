import AppStoreEmulator
import Hummingbird
import StoreModel
import WebSupport

/// The routes of `/` and of the form to buy for a customer.
struct TransactionRoutes: Sendable {
  let console: ConsoleContext
  let salesCache: SalesCache

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/") { request, _ in
      try await console.answering(in: .transactions, for: request) { try await list(request) }
    }
    router.get("/console/purchase") { request, _ in
      try await console.answering(in: .transactions, for: request) { try await purchase(request) }
    }
  }

  private func list(_ request: Request) async throws -> Response {
    let query = try TransactionListQuery(AddressQuery(request))
    let store = console.store
    async let apps = store.apps(limit: Choices.mostApps)
    async let approvals = approvals(query)
    // Payments that wait for approval are not transactions yet.
    let page = query.state == .waiting ? nil : try await store.transactionPage(query.filter)
    let count = query.state == .waiting ? 0 : try await store.transactionCount(query.filter)
    let transactions = page?.transactions ?? []
    let names = try await ProductNames(of: transactions.map { ($0.record.bundleID, $0.record.productID) }, in: store)
    let list = try await TransactionListPage(
      query: query, transactions: transactions, next: page?.next, count: count, names: names, apps: apps,
      approvals: approvals, known: KnownNames(.customers, .products, in: store),
      sales: count == 0 ? nil : salesCache.history(query),
      guide: count == 0 && !query.isFiltered ? guide(request) : nil)
    return console.page("Transactions", in: .transactions, for: request, list.html)
  }

  /// The guide for the first app; nil if the store has no app.
  private func guide(_ request: Request) async throws -> ConnectionGuide? {
    guard let app = try await console.store.apps(limit: 1).first else { return nil }
    let products = try await console.store.catalog(of: app.bundleID)
    return ConnectionGuide(
      app: app, product: products.first { $0.isOnSale }?.product.productID, calls: console.calls(for: request))
  }

  private func approvals(_ query: TransactionListQuery) async throws -> [ApprovalRow] {
    guard query.showsApprovals else { return [] }
    return try await ApprovalRow.all(fitting: query.filter, in: console.store)
  }

  private func purchase(_ request: Request) async throws -> Response {
    let apps = try await console.store.apps(limit: Choices.mostApps)
    let query = try AddressQuery(request)
    let page = PurchasePage(
      apps: apps, app: query["app"].map { BundleID($0) } ?? apps.first?.bundleID, product: query["product"],
      customer: query["customer"] ?? EmulatedAppStore.firstCustomer.rawValue,
      environment: try query.environment() ?? .sandbox,
      names: try await KnownNames(.customers, .products, .installations, in: console.store),
      calls: console.calls(for: request))
    return console.page("Buy for a customer", in: .transactions, for: request, page.html)
  }
}
