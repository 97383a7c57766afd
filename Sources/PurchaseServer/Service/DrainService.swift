import ServiceLifecycle
import StoreModel

/// Has `/ready` say so when the server is told to stop, and lets it go on for a while, so that nobody sends it more.
///
/// To be the last of its group: services are stopped one after the other, the last one first.
public struct DrainService: Service {
  let standing: ServiceStatus
  let seconds: Int
  let clock: any MachineClock

  public func run() async throws {
    try await gracefulShutdown()
    standing.isStopping = true
    guard seconds > 0 else { return }
    try await clock.sleep(for: .seconds(seconds))
  }
}
