import Foundation
import HTTPTypes
import Hummingbird
import PurchaseLedger
import WebSupport

/// The endpoint for a customer's state, which apps ask for again with the version that they have.
struct CustomerStateRoutes: Sendable {
  let ledger: Ledger
  let authentication: CustomerAuthentication

  func add(to router: Router<ServiceContext>) {
    let (ledger, authentication) = (ledger, authentication)
    router.serve(raw: ServiceEndpoints.customerState, for: authentication.claimant) { request, claimant in
      let view = try await authentication.acting(as: claimant, request) { claimant in
        CustomerStateView(
          try await ledger.state(
            of: claimant.customer, app: request.path.bundleId, after: request.query.after?.key,
            limit: request.query.count), of: claimant)
      }
      var response = Response.json(
        try Response.encoder().encode(view), unlessNamedBy: request.request,
        cacheControl: "private, max-age=0, must-revalidate")
      response.headers[.vary] = "Authorization"
      return response
    }
  }
}
