import APIDescription
import Hummingbird
import PurchaseLedger
import WebSupport

/// The operators' endpoints for the App Store's requests for information about consumption.
struct OperatorConsumptionRoutes: Sendable {
  let ledger: Ledger
  let authentication: OperatorAuthentication

  func add(to router: Router<ServiceContext>) {
    let ledger = ledger
    router.serve(ServiceEndpoints.consumptionRequests, for: authentication) { request, _ in
      let query = request.query
      let page = try await ledger.consumptionRequests(
        of: request.path.bundleId, in: query.state, after: query.after?.key, limit: query.count)
      return ConsumptionRequestList(requests: page.elements, next: page.next.map(PageCursor.init))
    }
    router.serve(ServiceEndpoints.consumptionRequest, for: authentication) { request, _ in
      let found = try await ledger.consumptionRequest(request.path.uuid, app: request.path.bundleId)
      return ConsumptionRequestWithValuesView(request: found.request, computed: found.computed)
    }
    router.serve(ServiceEndpoints.answerConsumptionRequest, for: authentication) { request, identity in
      try request.body.checkReason()
      return try await ledger.answerConsumptionRequest(
        request.path.uuid, app: request.path.bundleId, with: request.body.values, by: identity.name,
        reason: request.body.reason)
    }
  }
}
