import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The endpoint for an app's product catalog. It requires no token.
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
      // The tag is the digest of the body, because the same catalog in another language is another document.
      let tag = EntityTag(ContentDigest(SHA256.hash(data: body)))
      var response = Response.json(body)
      if let field = request.headers[.ifNoneMatch],
        EntityTagList(field: field).contains({ $0.matchesWeakly(tag) })
      {
        response = Response(status: .notModified)
        // A 304 must not have the length of its own empty body.
        response.headers[.contentLength] = nil
      }
      response.headers[.eTag] = tag.description
      response.headers[.cacheControl] = "public, max-age=0, must-revalidate"
      response.headers[.vary] = "Accept-Language"
      return response
    }
  }
}
