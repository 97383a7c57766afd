/// The products whose requests failed, and when they are requested again. It only decides; ``InAppPurchaseManager`` carries
/// out the steps.
struct ProductRetry: Hashable, Sendable {
  /// How a request ended.
  enum Outcome: Hashable, Sendable {
    case answered
    case failed
    /// The caller no longer wants the response. That does not mean that the store failed.
    case cancelled
  }

  /// The manager's next step, which replaces the step before.
  enum Step: Hashable, Sendable {
    case wait(afterFailures: Int, turn: Int)
    case request(Set<String>, turn: Int)
    case idle
  }

  private enum Phase: Hashable, Sendable {
    case idle
    case waiting(turn: Int)
    case requesting(turn: Int)
  }

  /// The products whose last request failed.
  private(set) var unanswered: Set<String> = []
  private var underWay: [String: Int] = [:]
  private var isStarted = false
  private var phase = Phase.idle
  private var failures = 0
  /// Identifies the current wait or repeated request, so that the end of an earlier one does not change the phase.
  private var turn = 0

  var underWayIdentifiers: Set<String> { Set(underWay.keys) }

  func isUnderWay(_ identifier: String) -> Bool { underWay[identifier] != nil }

  private var due: Set<String> { unanswered.filter { underWay[$0] == nil } }

  mutating func start() -> Step? {
    isStarted = true
    return next()
  }

  mutating func stop() -> Step? {
    isStarted = false
    failures = 0
    return idle()
  }

  /// Records that the app requests `identifiers`.
  mutating func began(_ identifiers: Set<String>) -> Step? {
    hold(identifiers)
    // If no failed product is left, the current wait ends.
    return next()
  }

  /// Records that a request ended.
  ///
  /// - Parameter turn: identifies a repeated request; nil for a request of the app.
  mutating func ended(_ identifiers: Set<String>, _ outcome: Outcome, turn: Int? = nil) -> Step? {
    for identifier in identifiers {
      let count = (underWay[identifier] ?? 1) - 1
      underWay[identifier] = count == 0 ? nil : count
    }
    if let turn, phase == .requesting(turn: turn) { phase = .idle }
    switch outcome {
    case .answered:
      unanswered.subtract(identifiers)
      failures = 0
      // The store can be reached, so the other products are requested at once.
      return next(isReachable: true)
    case .failed:
      unanswered.formUnion(identifiers)
      return next()
    case .cancelled:
      return next()
    }
  }

  /// Records that a wait is over, and returns the request to make.
  mutating func waited(turn: Int) -> Step? {
    guard phase == .waiting(turn: turn) else { return nil }
    return request()
  }

  private mutating func next(isReachable: Bool = false) -> Step? {
    guard isStarted else { return nil }
    switch phase {
    // Products that failed meanwhile are requested when this request has ended.
    case .requesting: return nil
    case .waiting where due.isEmpty: return idle()
    case .idle where due.isEmpty: return nil
    case .waiting where isReachable, .idle where isReachable: return request()
    // The failed products are requested when the current wait ends.
    case .waiting: return nil
    case .idle:
      failures += 1
      turn += 1
      phase = .waiting(turn: turn)
      return .wait(afterFailures: failures, turn: turn)
    }
  }

  private mutating func request() -> Step {
    let identifiers = due
    hold(identifiers)
    turn += 1
    phase = .requesting(turn: turn)
    return .request(identifiers, turn: turn)
  }

  private mutating func idle() -> Step {
    phase = .idle
    return .idle
  }

  private mutating func hold(_ identifiers: Set<String>) {
    for identifier in identifiers { underWay[identifier, default: 0] += 1 }
  }
}
