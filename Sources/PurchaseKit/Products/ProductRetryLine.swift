import Foundation

/// Asks the store again, by itself, for the products whose request failed: one line for the whole manager.
final class ProductRetryLine: @unchecked Sendable {
  private let lock = NSLock()
  private var state = ProductRetry()
  private var task: Task<Void, Never>?
  private let reachability: any Reachability
  /// Makes a request and reports its end to ``ended(_:_:turn:)``. Set once, before there can be anything to ask for.
  var ask: @Sendable (Set<String>, _ turn: Int) async -> Void = { _, _ in }

  init(reachability: any Reachability) { self.reachability = reachability }

  deinit { task?.cancel() }

  var unanswered: Set<String> { lock.withLock { state.unanswered } }

  /// The products that are being asked for.
  var underWay: Set<String> { lock.withLock { state.underWayIdentifiers } }

  func isUnderWay(_ identifier: String) -> Bool { lock.withLock { state.isUnderWay(identifier) } }

  func start() { advance { $0.start() } }

  func stop() { advance { $0.stop() } }

  func began(_ identifiers: Set<String>) { advance { $0.began(identifiers) } }

  func ended(_ identifiers: Set<String>, _ outcome: ProductRetry.Outcome, turn: Int?) {
    advance { $0.ended(identifiers, outcome, turn: turn) }
  }

  private func advance(_ change: (inout ProductRetry) -> ProductRetry.Step?) {
    let ended: Task<Void, Never>? = lock.withLock {
      guard let step = change(&state) else { return nil }
      defer { task = makeTask(step) }
      return task
    }
    // Outside the lock: who is cancelled may call back.
    ended?.cancel()
  }

  private func makeTask(_ step: ProductRetry.Step) -> Task<Void, Never>? {
    switch step {
    case .rest:
      nil
    case .wait(let failures, let turn):
      // Nobody who waits keeps the manager alive.
      Task { [weak self, reachability] in
        await reachability.waitUntilWorthAsking(afterFailures: failures)
        self?.advance { $0.waited(turn: turn) }
      }
    case .ask(let identifiers, let turn):
      Task { [ask] in await ask(identifiers, turn) }
    }
  }
}
