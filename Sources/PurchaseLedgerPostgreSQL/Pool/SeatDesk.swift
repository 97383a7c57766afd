import PurchaseLedger
import StoreModel

/// Keeps the pooled connections that are free, and the tasks that wait for one.
final class SeatDesk: Sendable {
  typealias Grant = (seat: ConnectionSeat, generation: Int)

  private struct State: Sendable {
    /// The connection that was used last is at the end, and is used next. So no more connections are opened than needed.
    var free: [ConnectionSeat]
    var waiters = WaitQueue<Result<Grant, any Error>>()
    var generation = 1
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  private let seats: [ConnectionSeat]
  private let waitingLimit: Int
  private let state: LockedValue<State>

  init(seats count: Int, waitingLimit: Int) {
    seats = (0..<count).map { _ in ConnectionSeat() }
    state = LockedValue(State(free: seats))
    self.waitingLimit = waitingLimit
  }

  var waiting: Int { state.withLock { $0.waiters.count } }

  func take() async throws -> Grant {
    // A closed pool is reported even to a cancelled task. The wait below checks the cancellation first.
    if state.withLock({ $0.isClosed }) { throw LedgerDatabaseError.closed }
    return try await state.wait(in: \.waiters, cancelled: .failure(CancellationError())) { state in
      if state.isClosed { return .failure(LedgerDatabaseError.closed) }
      if let seat = state.free.popLast() { return .success((seat, state.generation)) }
      if state.waiters.count >= waitingLimit { return .failure(LedgerDatabaseError.overloaded) }
      return nil
    }.get()
  }

  /// - Parameter lost: the generation of the connection, if it was lost. All connections of that generation are replaced:
  ///   they were opened before, and are probably lost, too.
  func giveBack(_ seat: ConnectionSeat, lostIn lost: Int?) {
    let (next, grant, closers) = state.withLock { state in
      if lost == state.generation { state.generation += 1 }
      let next = state.waiters.removeFirst()
      if next == nil { state.free.append(seat) }
      let isDone = state.isClosed && state.free.count == seats.count
      let closers = isDone ? state.closers : []
      if isDone { state.closers = [] }
      return (next, (seat, state.generation), closers)
    }
    next?.resume(.success(grant))
    for closer in closers { closer.resume() }
  }

  /// Refuses the tasks that wait and those that come, and returns all pooled connections as soon as none is in use.
  func close() async -> [ConnectionSeat] {
    let refused = state.withLock { state in
      state.isClosed = true
      return state.waiters.removeAll()
    }
    for waiter in refused { waiter.resume(.failure(LedgerDatabaseError.closed)) }
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if state.free.count < seats.count { state.closers.append(continuation) }
        return state.free.count == seats.count
      }
      if isDone { continuation.resume() }
    }
    return seats
  }
}
