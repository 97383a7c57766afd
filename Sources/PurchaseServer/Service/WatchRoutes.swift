import WebSupport
import HTTPTypes
import Hummingbird
import PurchaseLedger

/// The endpoints for monitoring: `/health`, `/ready` and `/metrics`.
struct WatchRoutes: Sendable {
  let operators: OperatorAuthentication
  let metrics: ServiceMetrics
  let standing: ServiceStatus
  let presence: RequestPresence
  let readiness: Readiness

  private struct HealthView: Encodable {
    let status = "alive"
    /// The SHA-256 fingerprints of the ledger's trust anchors.
    let anchors: [String]
  }

  func add(to router: Router<ServiceContext>) {
    let (operators, metrics, standing) = (operators, metrics, standing)
    let (presence, readiness) = (presence, readiness)
    router.get("/health") { _, _ in
      // The fingerprints were read at the start, so `/health` answers even if the database cannot be reached.
      try Response.json(HealthView(anchors: standing.anchors))
    }
    router.get("/ready") { _, context in
      guard !standing.isStopping else {
        return ErrorResponse(
          .serviceUnavailable, "stopping", "The server is about to stop.", headers: [.retryAfter: "5"]
        ).response
      }
      do {
        try await readiness.check()
      } catch let error as LedgerDatabaseError {
        context.logger.error("The ledger takes no writes", metadata: ["error": "\(error)"])
        guard case .failed = error else { return error.doorRefusal.response }
        return ErrorResponse(
          .serviceUnavailable, "notWritable", "The ledger takes no writes. The server's log says why.",
          headers: [.retryAfter: "5"]
        ).response
      }
      return try Response.json(["status": "ready"])
    }
    router.get("/metrics") { request, context in
      if !context.caller.isLoopback { _ = try await operators.identity(request) }
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text(underWay: presence.count))))
    }
  }
}
