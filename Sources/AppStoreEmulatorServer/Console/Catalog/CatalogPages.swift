import AppStoreEmulator
import Hummingbird
import StoreModel
import WebSupport

/// The routes of `/console/catalog` and of a product's page.
struct CatalogPages: Sendable {
  let console: ConsoleContext

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/console/catalog") { request, _ in
      try await console.answering(in: .catalog, for: request) { try await catalog(request) }
    }
    router.get("/console/product") { request, _ in
      try await console.answering(in: .catalog, for: request) { try await product(request) }
    }
  }

  private func catalog(_ request: Request) async throws -> Response {
    let query = try AddressQuery(request)
    let found = try await console.store.appPage(after: query["after"].map { [$0] }, limit: CatalogPage.mostApps)
    let page = CatalogPage(
      sections: found.elements, next: found.next?.first.map { BundleID($0) }, storefront: try Self.storefront(query),
      search: query["q"])
    return console.page("Catalog", in: .catalog, for: request, page.html)
  }

  private func product(_ request: Request) async throws -> Response {
    let query = try AddressQuery(request)
    let (app, id) = (BundleID(try query.required("app")), ProductID(try query.required("product")))
    let page = ProductPage(
      app: try await console.store.app(app), entry: try await console.store.catalogEntry(id, of: app),
      storefront: try Self.storefront(query), locale: try await console.store.settings().locale,
      calls: console.calls(for: request))
    return console.page("Product", in: .catalog, for: request, page.html)
  }

  private static func storefront(_ query: AddressQuery) throws(PageRefusal) -> Territory {
    guard let code = query["storefront"] else { return .usa }
    guard let storefront = Territory(countryCode: code) else {
      throw PageRefusal(.badRequest, AppStoreEmulatorError.unknownStorefront(code).description)
    }
    return storefront
  }
}
