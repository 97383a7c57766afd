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
  let readiness: ReadinessCheck

  func add(to router: Router<ServiceContext>) {
    let (operators, metrics, status) = (operators, metrics, status)
    let (presence, readiness) = (presence, readiness)
    router.serve(ServiceEndpoints.health) { _ in
      // The anchors were read at the start. So the response does not depend on the database.
      HealthView(status: .alive, anchors: status.anchors.map(HealthView.Fingerprint.init(rawValue:)))
    }
    router.serve(ServiceEndpoints.ready) { request in
      if let problem = try await readiness.problem(request.context.logger) {
        throw ErrorResponse(.serviceUnavailable, body: problem, headers: [.retryAfter: "5"])
      }
      return ReadyView(status: .ready)
    }
    router.serve(raw: ServiceEndpoints.metrics) { request, context in
      if !context.caller.isLoopback { _ = try await operators.identity(request, with: .read) }
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text(underWay: presence.count))))
    }
  }
}
