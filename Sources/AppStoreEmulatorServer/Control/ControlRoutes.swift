import AppStoreEmulator
import Foundation
import HTTPTypes
import Hummingbird
import StoreModel

/// `/control/v1/…`: what a test, a script or the console steers the store with. Described by `/control/openapi.json`.
struct ControlRoutes: Sendable {
  let store: EmulatedAppStore
  let scheme: String

  func add(to router: Router<BasicRequestContext>) {
    let (store, scheme) = (store, scheme)
    router.get("/control/openapi.json") { _, _ in Response.json(Data(ControlDescription.json.utf8)) }

    let control = router.group("/control/v1")
    control.get("connection") { request, _ in
      try await Self.answering {
        let app = try await Self.app(named: request.uri.queryParameters["bundleId"].map(String.init), in: store)
        let address = "\(scheme)://\(request.head.authority ?? "localhost")"
        return try ConnectionView(app: app, authority: store.authority, address: address)
      }
    }
    control.get("apps") { _, _ in
      try await Self.answering {
        var views: [AppView] = []
        for app in try await store.apps() {
          views.append(AppView(app, catalog: try await store.catalog(of: app.bundleID)))
        }
        return ["apps": views]
      }
    }
    addCustomers(to: control)
    addPurchases(to: control)
  }

  private func addCustomers(to control: RouterGroup<BasicRequestContext>) {
    let store = store
    control.get("customers") { _, _ in
      try await Self.answering { ["customers": try await store.customers().map(CustomerView.init)] }
    }
    control.post("customers") { request, _ in
      let customer = try await request.decoded(CustomerView.self).customer
      return try await Self.answering(status: .created) {
        try await store.addCustomer(customer)
        return CustomerView(customer)
      }
    }
    control.get("customers/{environment}/{name}") { _, context in
      let (name, environment) = try Self.customer(in: context)
      return try await Self.answering { CustomerView(try await store.customer(name, environment)) }
    }
    control.patch("customers/{environment}/{name}") { request, context in
      let (name, environment) = try Self.customer(in: context)
      let change = try await request.decoded(CustomerChange.self)
      return try await Self.answering {
        CustomerView(
          try await store.changeCustomer(name, environment) { customer in
            if let password = change.password { customer.password = password }
            customer.storefrontCountryCode = change.storefront ?? customer.storefrontCountryCode
            customer.paymentMethod = change.paymentMethod ?? customer.paymentMethod
          })
      }
    }
  }

  private func addPurchases(to control: RouterGroup<BasicRequestContext>) {
    let store = store
    control.post("purchases") { request, _ in
      let order = try await request.decoded(PurchaseOrder.self)
      return try await Self.answering(status: .created) {
        TransactionView(
          try await store.purchase(
            order.productId, quantity: order.quantity ?? 1, of: order.bundleId, for: order.customer,
            in: order.environment, applicationUsername: order.applicationUsername,
            installationID: order.installationId))
      }
    }
    control.get("transactions") { request, _ in
      let filter = try Self.filter(from: request)
      return try await Self.answering {
        ["transactions": try await store.transactions(filter).map(TransactionView.init)]
      }
    }
    control.get("charges") { request, _ in
      let filter = try Self.filter(from: request)
      return try await Self.answering { ["charges": try await store.charges(filter).map(ChargeView.init)] }
    }
  }

  // MARK: Reading requests

  /// The app of that bundle id, or the only one there is.
  private static func app(named name: String?, in store: EmulatedAppStore) async throws -> StoreApp {
    if let name { return try await store.app(BundleID(name)) }
    let apps = try await store.apps()
    guard let app = apps.first, apps.count == 1 else {
      throw DoorRefusal(
        .badRequest, "bundleIdRequired",
        "This store serves several apps. Add ?bundleId= with one of \(apps.map(\.bundleID.rawValue).joined(separator: ", "))."
      )
    }
    return app
  }

  private static func customer(in context: BasicRequestContext) throws -> (AccountName, StoreEnvironment) {
    let environment = try context.parameters.require("environment")
    let name = try context.parameters.require("name")
    return (AccountName(name.removingPercentEncoding ?? name), try Self.environment(environment))
  }

  private static func environment(_ text: String) throws -> StoreEnvironment {
    guard let environment = StoreEnvironment(rawValue: text) ?? StoreEnvironment(lowercaseName: text) else {
      throw DoorRefusal(.badRequest, "malformedRequest", "\(text) is no environment; use production or sandbox.")
    }
    return environment
  }

  private static func filter(from request: Request) throws -> EmulatedAppStore.BookFilter {
    let query = request.uri.queryParameters
    let limit = try query["limit"].map { text in
      guard let limit = Int(text), (1...1_000).contains(limit) else {
        throw DoorRefusal(.badRequest, "malformedRequest", "limit is a number from 1 to 1000.")
      }
      return limit
    }
    return EmulatedAppStore.BookFilter(
      bundleID: query["bundleId"].map { BundleID(String($0)) },
      environment: try query["environment"].map { try environment(String($0)) },
      account: query["customer"].map { AccountName(String($0)) }, limit: limit ?? 1_000)
  }

  // MARK: Answering

  /// The answer as JSON; what the store refuses becomes a typed error with a fitting status.
  private static func answering<Answer: Encodable>(
    status: HTTPResponse.Status = .ok, _ answer: () async throws -> Answer
  ) async throws -> Response {
    do {
      return try .json(try await answer(), status: status)
    } catch let error as AppStoreEmulatorError {
      let (status, code) = Self.refusal(for: error)
      throw DoorRefusal(status, code, error.description)
    } catch let refusal as StoreRefusal {
      throw DoorRefusal(.unprocessableContent, refusal)
    }
  }

  private static func refusal(for error: AppStoreEmulatorError) -> (HTTPResponse.Status, String) {
    switch error {
    case .unknownApp: (.notFound, "unknownApp")
    case .unknownCustomer: (.notFound, "unknownCustomer")
    case .unknownInstallation: (.notFound, "unknownInstallation")
    case .noSuchApproval: (.notFound, "noSuchApproval")
    case .customerExists: (.conflict, "customerExists")
    case .unknownStorefront: (.unprocessableContent, "unknownStorefront")
    case .environmentNotServed: (.unprocessableContent, "environmentNotServed")
    case .emptyName: (.unprocessableContent, "emptyName")
    case .duplicateProduct: (.unprocessableContent, "duplicateProduct")
    case .storeNotCreated, .noTimeZoneData, .otherSeed, .epochExhausted:
      (.internalServerError, "temporarilyUnavailable")
    }
  }
}
