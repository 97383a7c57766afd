import ServiceLifecycle

/// Has `/ready` say so when the server is told to stop, and lets it go on for a while, so that nobody sends it more.
///
/// To be the last of its group: services are stopped one after the other, the last one first.
public struct DrainService: Service {
  let standing: ServiceStanding
  let seconds: Int
  /// Returns after so many seconds; throws when the task is cancelled.
  let pause: @Sendable (Int) async throws -> Void

  public func run() async throws {
    try await gracefulShutdown()
    standing.isStopping = true
    guard seconds > 0 else { return }
    try await pause(seconds)
  }
}
