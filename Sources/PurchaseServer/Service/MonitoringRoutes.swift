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
        throw NotReadyView(
          error: RefusalView(code: "stopping", message: "The server is about to stop."), component: .server
        ).response
      }
      do {
        try await readiness.check()
      } catch let error as LedgerDatabaseError {
        request.context.logger.error("The ledger takes no writes", metadata: ["error": "\(error)"])
        throw NotReadyView(error, of: readiness.databaseSystem).response
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

extension NotReadyView {
  /// Describes a failed database without its own message, which may contain the names of hosts and users.
  fileprivate init(_ failure: LedgerDatabaseError, of system: String) {
    let (code, what) =
      switch failure {
      case .unavailable: ("temporarilyUnavailable", "cannot be reached, or refuses the connection.")
      case .overloaded: ("temporarilyUnavailable", "has too much to do.")
      case .closed: ("temporarilyUnavailable", "was closed: the server is about to stop.")
      case .full: ("notWritable", "takes no writes, because its disk is full, read-only or broken, or cannot be read.")
      case .notUsable: ("notWritable", "lacks a table or a right of the ledger, or its file was removed or replaced.")
      case .failed: ("notWritable", "takes no writes.")
      case .unexpectedRow, .newerSchema: ("notWritable", "was changed by another version of this software.")
      case .notDurable: ("notWritable", "may lose commits in a power cut.")
      }
    self.init(
      error: RefusalView(code: code, message: "The ledger's database (\(system)) \(what) The server's log says more."),
      component: .database)
  }

  fileprivate var response: ErrorResponse {
    ErrorResponse(.serviceUnavailable, body: self, headers: [.retryAfter: "5"])
  }
}
