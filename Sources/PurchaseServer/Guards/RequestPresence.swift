import StoreModel

/// Counts the requests in progress, and limits their number: of all callers together, and of each caller.
///
/// A request whose body has not arrived completely counts only for its caller. So slow clients take no place of others.
final class RequestPresence: Sendable {
  /// The reason why a request is refused.
  enum Refusal: Error {
    /// The caller has its whole share of requests in progress.
    case shareIsUsed
    /// The server has too many requests in progress.
    case overloaded
  }

  private struct State: Sendable {
    var working = 0
    var byCaller: [String: Int] = [:]
  }

  private let most: Int
  /// The maximum number of requests of one caller: a tenth of all, but at least 8.
  let share: Int
  private let state = LockedValue(State())

  /// - Parameter most: the maximum number of requests, without those whose body has not arrived.
  init(most: Int) {
    self.most = most
    share = min(most, max(8, most / 10))
  }

  /// The number of requests in progress, without those whose body has not arrived.
  var count: Int { state.withLock { $0.working } }

  /// Counts a request.
  ///
  /// - Parameter caller: the key of the caller, as ``CallerRates`` returns it.
  func enter(_ caller: String) throws(Refusal) -> Permit {
    try state.withLock { state throws(Refusal) in
      guard state.byCaller[caller, default: 0] < share else { throw .shareIsUsed }
      guard state.working < most else { throw .overloaded }
      state.byCaller[caller, default: 0] += 1
      state.working += 1
    }
    return Permit(of: caller, in: self)
  }

  /// The place of one request.
  final class Permit: Sendable {
    private let caller: String
    private let presence: RequestPresence
    /// Whether the request counts among those of all callers.
    private let isWorking = LockedValue(true)

    fileprivate init(of caller: String, in presence: RequestPresence) {
      self.caller = caller
      self.presence = presence
    }

    /// The request waits for its body. Until ``bodyArrived()`` it counts only for its caller.
    func awaitsBody() {
      isWorking.withLock { isWorking in
        guard isWorking else { return }
        presence.state.withLock { $0.working -= 1 }
        isWorking = false
      }
    }

    /// The request's body has arrived completely.
    func bodyArrived() throws(Refusal) {
      try isWorking.withLock { isWorking throws(Refusal) in
        guard !isWorking else { return }
        try presence.state.withLock { state throws(Refusal) in
          guard state.working < presence.most else { throw .overloaded }
          state.working += 1
        }
        isWorking = true
      }
    }

    /// Ends the request. It is called once.
    func leave() {
      awaitsBody()
      presence.state.withLock { state in
        let count = state.byCaller[caller, default: 1]
        state.byCaller[caller] = count > 1 ? count - 1 : nil
      }
    }
  }
}
