import HTTPTypes
import Hummingbird
import PurchaseLedger
import WebSupport

/// The endpoints for monitoring: `/health`, `/ready` and `/metrics`.
struct MonitoringRoutes: Sendable {
  let operators: OperatorAuthentication
  let metrics: ServiceMetrics
  let status: ServiceStatus
  let presence: RequestPresence
  let readiness: Readiness

  func add(to router: Router<ServiceContext>) {
    let (operators, metrics, status) = (operators, metrics, status)
    let (presence, readiness) = (presence, readiness)
    router.serve(ServiceEndpoints.health) { _ in
      // The anchors were read at the start. So the response does not depend on the database.
      HealthView(status: .alive, anchors: status.anchors.map(HealthView.Fingerprint.init(rawValue:)))
    }
    router.serve(ServiceEndpoints.ready) { request in
      guard !status.isStopping else {
        throw ErrorResponse(
          .serviceUnavailable, "stopping", "The server is about to stop.", headers: [.retryAfter: "5"])
      }
      do {
        try await readiness.check()
      } catch let error as LedgerDatabaseError {
        request.context.logger.error("The ledger takes no writes", metadata: ["error": "\(error)"])
        guard case .failed = error else { throw error.errorResponse }
        throw ErrorResponse(
          .serviceUnavailable, "notWritable", "The ledger takes no writes. The server's log says why.",
          headers: [.retryAfter: "5"])
      }
      return ReadyView(status: .ready)
    }
    router.serve(raw: ServiceEndpoints.metrics) { request, context in
      if !context.caller.isLoopback { _ = try await operators.identity(request, context) }
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text(underWay: presence.count))))
    }
  }
}
