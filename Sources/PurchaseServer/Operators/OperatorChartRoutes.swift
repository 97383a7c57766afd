import Hummingbird
import PurchaseLedger

/// The operators' endpoint for charts.
struct OperatorChartRoutes: Sendable {
  let ledger: Ledger
  let authentication: OperatorAuthentication

  func add(to router: Router<ServiceContext>) {
    let ledger = ledger
    router.serve(ServiceEndpoints.chart, for: authentication) { request, _ in
      ChartView(try await ledger.chart(request.path.name, request.query.request))
    }
  }
}
