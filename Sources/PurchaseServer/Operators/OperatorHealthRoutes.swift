import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The operators' endpoint for the state of the server.
struct OperatorHealthRoutes: Sendable {
  let ledger: Ledger
  let authentication: OperatorAuthentication
  let readiness: ReadinessCheck
  let metrics: ServiceMetrics
  let version: String?
  let clock: any MachineClock

  func add(to router: Router<ServiceContext>) {
    router.serve(ServiceEndpoints.operatorHealth, for: authentication) { request, _ in
      OperatorHealthView(
        date: clock.now, version: version, problem: try await readiness.problem(request.context.logger),
        database: ledger.databaseSystem, incarnation: try await ledger.incarnation(),
        anchors: readiness.status.anchors.map(HealthView.Fingerprint.init(rawValue:)), apps: try await apps())
    }
  }

  private func apps() async throws -> [AppHealthView] {
    let notifications = try await ledger.lastNotificationDates()
    let setAside = try await ledger.notificationsSetAside()
    let histories = Dictionary(grouping: try await ledger.storeCursors(.notificationHistory), by: \.app)
    return ledger.bundleIDs.map { app in
      let contact = metrics.store[app]
      return AppHealthView(
        bundleId: app, lastNotification: notifications[app], setAside: setAside[app]?.count ?? 0,
        oldestSetAside: setAside[app]?.oldest, lastAnswer: contact.answered,
        lastFailure: contact.failure.map { StoreFailureView(date: $0.date, message: $0.detail) },
        histories: (histories[app] ?? []).sorted { $0.environment.rawValue < $1.environment.rawValue }.map {
          StoreHistoryView(environment: $0.environment, readUntil: $0.position, leasedUntil: $0.leasedUntil)
        })
    }
  }
}
