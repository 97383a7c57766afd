import APIDescription
import Foundation
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The endpoints for a customer's entitlements, credits and deliveries.
struct OwnershipRoutes: Sendable {
  let ledger: Ledger
  let authentication: CustomerAuthentication
  let content: ContentPresenter

  func add(to router: Router<ServiceContext>) {
    let (ledger, authentication, content) = (ledger, authentication, content)
    router.serve(ServiceEndpoints.entitlements, for: authentication.claimant) { request, claimant in
      EntitlementList(
        try await ledger.entitlementPage(
          of: claimant.customer, app: request.path.bundleId, after: request.query.after?.key,
          limit: request.query.count))
    }
    router.serve(ServiceEndpoints.creditBalances, for: authentication.claimant) { request, claimant in
      try await ledger.creditBalances(of: claimant.customer, app: request.path.bundleId)
    }
    router.serve(ServiceEndpoints.creditMovements, for: authentication.claimant) { request, claimant in
      MovementList(
        movements: try await ledger.creditMovements(
          of: claimant.customer, app: request.path.bundleId, unit: request.path.unit, before: request.query.before,
          limit: request.query.count))
    }
    router.serve(ServiceEndpoints.spend, bodyLimit: 4096, for: authentication.claimant) { request, claimant in
      let (path, body) = (request.path, request.body)
      return SpendView(
        try await authentication.acting(as: claimant, request) { claimant in
          try await ledger.spend(
            body.amount, of: path.unit, key: body.key, customer: claimant.customer, app: path.bundleId)
        })
    }
    router.serve(ServiceEndpoints.deliveriesOfCustomer, for: authentication.claimant) { request, claimant in
      var views: [DeliveryView] = []
      // With a budget of 0, all files except empty ones are sent as links: the app chooses which files it downloads.
      var inlineBudget: Int64? = 0
      let page = try await ledger.deliveries(
        of: claimant.customer, app: request.path.bundleId, after: request.query.after?.key, limit: request.query.count)
      for delivery in page.elements {
        if let view = try await content.view(of: delivery, inlineBudget: &inlineBudget, request.context.logger) {
          views.append(view)
        }
      }
      return DeliveryList(deliveries: views, next: page.next.map(PageCursor.init))
    }
  }
}
