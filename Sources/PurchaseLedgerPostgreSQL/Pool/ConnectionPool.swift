import PurchaseLedger
import StoreModel

/// The connections to the database. Tasks get a connection in the order of their requests. A connection is opened when
/// it is first needed.
final class ConnectionPool: Sendable {
  private typealias Grant = (connection: PooledConnection, generation: Int)

  private struct State: Sendable {
    /// The connection that was used last is at the end, and is used next. So no more connections are opened than needed.
    var free: [PooledConnection]
    var waiting = WaitQueue<Result<Grant, any Error>>()
    /// Increases when a connection of the current generation is lost. Connections of older generations are replaced.
    var generation = 1
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  private let configuration: PostgreSQLConfiguration
  private let connections: [PooledConnection]
  private let state: LockedValue<State>

  init(_ configuration: PostgreSQLConfiguration) {
    self.configuration = configuration
    connections = (0..<configuration.poolSize).map { _ in PooledConnection() }
    state = LockedValue(State(free: connections))
  }

  /// Runs `work` with a connection, on a thread that may block.
  ///
  /// - Parameter cancellation: interrupts the statements of `work` when its task is cancelled; nil if `work` continues to its
  ///   end.
  /// - Throws: the error of `work`; ``TransientFailure`` if no connection can be opened; `CancellationError` if the
  ///   task is cancelled while it waits; ``LedgerDatabaseError/overloaded``, ``LedgerDatabaseError/closed``.
  func use<Value: Sendable>(
    cancellation: TransactionCancellation? = nil, _ work: @escaping @Sendable (PostgreSQLConnection) throws -> Value
  ) async throws -> Value {
    let (connection, generation) = try await take()
    return try await connection.use(
      generation: generation, configuration: configuration, cancellation: cancellation,
      finished: { [self] isLost in release(connection, lostIn: isLost ? generation : nil) }, work)
  }

  /// The number of tasks that wait for a connection.
  var waiting: Int { state.withLock { $0.waiting.count } }

  /// Refuses all waiting and new tasks, and returns when all connections are closed.
  func close() async {
    let refused = state.withLock { state in
      state.isClosed = true
      return state.waiting.removeAll()
    }
    for task in refused { task.resume(.failure(LedgerDatabaseError.closed)) }
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if state.free.count < connections.count { state.closers.append(continuation) }
        return state.free.count == connections.count
      }
      if isDone { continuation.resume() }
    }
    for connection in connections { await connection.close() }
  }

  private func take() async throws -> Grant {
    try await state.wait(in: \.waiting, cancelled: .failure(CancellationError())) { state in
      if state.isClosed { return .failure(LedgerDatabaseError.closed) }
      if let connection = state.free.popLast() { return .success((connection, state.generation)) }
      return state.waiting.count >= configuration.waitingLimit ? .failure(LedgerDatabaseError.overloaded) : nil
    }.get()
  }

  /// - Parameter lost: the generation of the connection, if it was lost. All connections of that generation are
  ///   replaced: they were opened before the loss, and are probably lost, too.
  private func release(_ connection: PooledConnection, lostIn lost: Int?) {
    let (next, grant, closers) = state.withLock { state in
      if lost == state.generation { state.generation += 1 }
      let next = state.waiting.removeFirst()
      if next == nil { state.free.append(connection) }
      let isDone = state.isClosed && state.free.count == connections.count
      let closers = isDone ? state.closers : []
      if isDone { state.closers = [] }
      return (next, (connection, state.generation), closers)
    }
    next?.resume(.success(grant))
    for closer in closers { closer.resume() }
  }
}
