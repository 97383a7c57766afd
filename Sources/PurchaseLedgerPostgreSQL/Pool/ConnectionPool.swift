import PurchaseLedger
import StoreModel

/// The connections to the database. Tasks get a connection in the order of their requests. A connection is opened when
/// it is first needed.
final class ConnectionPool: Sendable {
  private typealias Grant = (connection: PooledConnection, generation: Int)

  private struct State: Sendable {
    var free: FreeConnections<PooledConnection>
    /// The connections that are in use, and were open before.
    var openInUse: Set<ObjectIdentifier> = []
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
    state = LockedValue(State(free: FreeConnections(closed: connections)))
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
      finished: { [self] end in release(connection, of: generation, after: end) }, work)
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
      if let (connection, isOpen) = state.free.take() {
        if isOpen { state.openInUse.insert(ObjectIdentifier(connection)) }
        return .success((connection, state.generation))
      }
      return state.waiting.count >= configuration.waitingLimit ? .failure(LedgerDatabaseError.overloaded) : nil
    }.get()
  }

  /// Gives a connection to the next waiting task, or makes it free.
  ///
  /// If a connection was lost, all of its generation are replaced: they were opened before the loss, and are probably
  /// lost, too. One that could not be opened is given to no waiting task while others are open: the database may accept
  /// no more connections, and the task would fail although an open connection is released soon.
  private func release(_ connection: PooledConnection, of generation: Int, after end: PooledConnection.End) {
    let (next, grant, closers) = state.withLock { state in
      if end == .lost, generation == state.generation {
        state.generation += 1
        state.openInUse = []
        state.free.closeAll()
      }
      let isOpen = end == .open && generation == state.generation
      state.openInUse.remove(ObjectIdentifier(connection))
      let next = end == .notOpened && !state.openInUse.isEmpty ? nil : state.waiting.removeFirst()
      if next == nil {
        state.free.add(connection, isOpen: isOpen)
      } else if isOpen {
        state.openInUse.insert(ObjectIdentifier(connection))
      }
      let isDone = state.isClosed && state.free.count == connections.count
      let closers = isDone ? state.closers : []
      if isDone { state.closers = [] }
      return (next, (connection, state.generation), closers)
    }
    next?.resume(.success(grant))
    for closer in closers { closer.resume() }
  }
}

/// The connections of a pool that are not in use. Open ones are used first, and of these the one that was used last. So no
/// more connections are opened than needed, and one that cannot be opened hides no open one.
struct FreeConnections<Connection: Sendable>: Sendable {
  private var open: [Connection] = []
  private var closed: [Connection]

  init(closed: [Connection]) { self.closed = closed }

  var count: Int { open.count + closed.count }

  mutating func take() -> (connection: Connection, isOpen: Bool)? {
    if let connection = open.popLast() { return (connection, true) }
    return closed.popLast().map { ($0, false) }
  }

  mutating func add(_ connection: Connection, isOpen: Bool) {
    if isOpen { open.append(connection) } else { closed.append(connection) }
  }

  /// Records that no connection is open any more.
  mutating func closeAll() {
    closed += open
    open = []
  }
}
