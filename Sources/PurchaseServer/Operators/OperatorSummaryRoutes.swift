import Hummingbird
import PurchaseLedger

/// The operator's endpoints to read a customer in parts.
struct OperatorSummaryRoutes: Sendable {
  let ledger: Ledger
  let authentication: OperatorAuthentication

  func add(to router: Router<ServiceContext>) {
    let ledger = ledger
    router.serve(ServiceEndpoints.customerSummary, for: authentication) { request, _ in
      try await ledger.summary(of: request.path.customer, request.query.order ?? .oldest)
    }
    router.serve(ServiceEndpoints.movementsOfCustomer, for: authentication) { request, _ in
      let path = request.path
      return MovementList(
        movements: try await ledger.creditMovements(
          of: path.customer, app: path.bundleId, unit: path.unit, before: request.query.before,
          limit: request.query.count))
    }
  }
}
