import Foundation
import HTTPTypes
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The endpoints for an app's product catalog and its offerings. They require no token.
struct CatalogRoutes: Sendable {
  let ledger: Ledger

  func add(to router: Router<ServiceContext>) {
    let ledger = ledger
    router.serve(raw: ServiceEndpoints.products) { request, context in
      let catalog = try await ledger.catalog(of: context.app)
      let languages = LanguagePreferences(request.headers[.acceptLanguage])
      let body = try Response.encoder().encode(
        CatalogView(
          bundleId: try context.app, revision: catalog.revision,
          products: catalog.products.map { CatalogProductView($0, languages) }))
      // The same catalog in another language is another document, with another tag.
      var response = Response.json(
        body, unlessNamedBy: request, cacheControl: "public, max-age=0, must-revalidate")
      response.headers[.vary] = "Accept-Language"
      return response
    }
    router.serve(raw: ServiceEndpoints.offerings) { request, context in
      let view = OfferingList(bundleId: try context.app, try await ledger.offerings(of: context.app))
      return Response.json(
        try Response.encoder().encode(view), unlessNamedBy: request,
        cacheControl: "public, max-age=0, must-revalidate")
    }
  }
}
