import AppStoreEmulator
import Hummingbird
import StoreModel
import WebSupport

/// The routes of `/`, of a transaction's page, and of the form to buy for a customer.
struct TransactionRoutes: Sendable {
  let console: ConsoleContext
  let proofCache: ProofCache

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/") { request, _ in try await console.answering(in: .transactions) { try await list(request) } }
    router.get("/console/transactions/{id}") { request, context in
      try await console.answering(in: .transactions) {
        let text = try context.pathParameter("id")
        guard let id = TransactionID(rawValue: text) else {
          throw ConsoleRefusal(.notFound, "\(text) is no transaction id; those are decimal digits.")
        }
        return try await detail(id, request)
      }
    }
    router.get("/console/purchase") { request, _ in
      try await console.answering(in: .transactions) { try await purchase(request) }
    }
  }

  private func list(_ request: Request) async throws -> Response {
    let query = try TransactionListQuery(ConsoleQuery(request))
    let store = console.store
    async let apps = store.apps()
    async let approvals = approvals(query)
    // Payments that wait for approval are not transactions yet.
    let page = query.state == .waiting ? nil : try await store.transactionPage(query.filter)
    let count = query.state == .waiting ? 0 : try await store.transactionCount(query.filter)
    let transactions = page?.transactions ?? []
    let names = try await ProductNames(of: transactions.map { ($0.record.bundleID, $0.record.productID) }, in: store)
    let list = try await TransactionListPage(
      query: query, transactions: transactions, next: page?.next, count: count, names: names, apps: apps,
      approvals: approvals)
    return console.page("Transactions", in: .transactions, list.html)
  }

  private func approvals(_ query: TransactionListQuery) async throws -> [ApprovalRow] {
    guard query.showsApprovals else { return [] }
    return try await ApprovalRow.all(in: console.store) { approval, installation in
      func fits<Value: Equatable>(_ wanted: Value?, _ value: Value) -> Bool { wanted == nil || wanted == value }
      let texts = [
        approval.payment.productID.rawValue, approval.payment.paymentID.rawValue, approval.account.rawValue,
        approval.payment.applicationUsername ?? "",
      ]
      return fits(query.environment, installation.environment) && fits(query.app, installation.bundleID)
        && fits(query.product, approval.payment.productID) && fits(query.customer, approval.account)
        && (query.search.map { search in texts.contains { $0.lowercased().contains(search.lowercased()) } } ?? true)
    }
  }

  private func detail(_ id: TransactionID, _ request: Request) async throws -> Response {
    let store = console.store
    let details = try await store.transaction(id)
    let record = details.stored.record
    let listedCount = try await store.listedCount(of: record.transactionID)
    let signed =
      listedCount > TransactionDetailPage.largestReceipt
      ? nil : try await proofCache.proofs(of: record.transactionID)
    let page = TransactionDetailPage(
      subscription: try await store.subscription(of: record),
      details: details, timeline: try await store.timeline(of: id), signed: signed,
      names: try await ProductNames(of: [(record.bundleID, record.productID)], in: store),
      command: console.command(for: request))
    return console.page(page.title, in: .transactions, try page.html())
  }

  private func purchase(_ request: Request) async throws -> Response {
    let apps = try await console.store.apps()
    let query = try ConsoleQuery(request)
    let page = PurchasePage(
      apps: apps, app: query["app"].map { BundleID($0) } ?? apps.first?.bundleID, product: query["product"],
      customer: query["customer"] ?? EmulatedAppStore.firstCustomer.rawValue,
      environment: try query.environment() ?? .sandbox, command: console.command(for: request))
    return console.page("Buy for a customer", in: .transactions, page.html)
  }
}
