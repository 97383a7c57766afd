/// Limits how often a program that ended by itself is started again. A program that always fails must not be restarted
/// in an endless loop.
struct RestartPolicy: Hashable, Sendable {
  private let limit: Int
  private let windowSeconds: Double
  private var restarts: [Double] = []

  init(limit: Int = 5, windowSeconds: Double = 60) {
    self.limit = limit
    self.windowSeconds = windowSeconds
  }

  /// Returns whether the program may be started again. Called when it has ended.
  ///
  /// - Parameter now: seconds on a monotonic clock.
  mutating func mayRestart(at now: Double) -> Bool {
    restarts.removeAll { now - $0 >= windowSeconds }
    guard restarts.count < limit else { return false }
    restarts.append(now)
    return true
  }
}
