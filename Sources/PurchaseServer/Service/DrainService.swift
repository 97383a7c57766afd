import ServiceLifecycle
import StoreModel

/// When the server is asked to stop, makes `/ready` return 503 and delays the stop, so that load balancers send no further
/// requests.
///
/// It must be the last service of its group, because services are stopped in reverse order.
public struct DrainService: Service {
  let status: ServiceStatus
  let seconds: Int
  let clock: any MachineClock

  public func run() async throws {
    try await gracefulShutdown()
    status.isStopping = true
    guard seconds > 0 else { return }
    try await clock.sleep(for: .seconds(seconds))
  }
}
