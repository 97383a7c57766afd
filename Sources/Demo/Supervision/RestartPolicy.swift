/// Whether a program that ended by itself is started again: so often in a while, and no more, because one that cannot live would be
/// started in a circle.
struct RestartPolicy: Hashable, Sendable {
  private let limit: Int
  private let windowSeconds: Double
  private var restarts: [Double] = []

  init(limit: Int = 5, windowSeconds: Double = 60) {
    self.limit = limit
    self.windowSeconds = windowSeconds
  }

  /// To be called when the program has ended.
  ///
  /// - Parameter now: seconds on a clock that never goes back.
  mutating func mayRestart(at now: Double) -> Bool {
    restarts.removeAll { now - $0 >= windowSeconds }
    guard restarts.count < limit else { return false }
    restarts.append(now)
    return true
  }
}
