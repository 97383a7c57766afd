import StoreModel

/// The faults that are set, and the requests that they hold or delay.
final class ActiveFaults: Sendable {
  /// The reason why a wait ended.
  enum WaitEnd: Sendable {
    /// The fault was released or removed, or its delay has ended.
    case over
    /// The caller stopped waiting.
    case callerGone
    case storeClosed
  }

  private struct State: Sendable {
    var table: ActiveFaultTable
    var waiters: [FaultID: WaitQueue<WaitEnd>] = [:]
    var isClosed = false

    func report(_ entry: ActiveFaultTable.Entry, now: StoreDate) -> FaultReport {
      FaultReport(entry, waiting: waiting(for: entry.id), now: now)
    }

    subscript(waiters id: FaultID) -> WaitQueue<WaitEnd> {
      get { waiters[id] ?? WaitQueue() }
      set { waiters[id] = newValue.count > 0 ? newValue : nil }
    }

    func waiting(for id: FaultID) -> Int { waiters[id]?.count ?? 0 }

    /// Removes and returns the requests that a fault holds.
    mutating func release(_ id: FaultID) -> [WaitQueue<WaitEnd>.Waiter] { self[waiters: id].removeAll() }

    mutating func releaseAll() -> [WaitQueue<WaitEnd>.Waiter] { waiters.keys.flatMap { release($0) } }
  }

  private let state: LockedValue<State>
  private let machine: any MachineClock
  /// Notified when a request begins to wait, and when a fault is removed.
  private let signal: ChangeSignal
  private let activity: StoreActivity

  init(seed: UInt64, activity: StoreActivity, machine: any MachineClock) {
    state = LockedValue(State(table: ActiveFaultTable(seed: seed)))
    self.activity = activity
    self.machine = machine
    signal = ChangeSignal(machine: machine)
  }

  private func change<Value: Sendable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    defer { activity.note() }
    return try state.withLock(body)
  }

  // MARK: Setting and removing

  func set(_ fault: Fault, now: StoreDate) throws(AppStoreEmulatorError) -> FaultReport {
    try change { state throws(AppStoreEmulatorError) in
      let held = Set(state.waiters.keys)
      return state.report(try state.table.set(fault, now: now) { held.contains($0) }, now: now)
    }
  }

  func reports(now: StoreDate) -> [FaultReport] {
    state.withLock { state in state.table.entries.map { state.report($0, now: now) } }
  }

  func report(_ id: FaultID, now: StoreDate) throws(AppStoreEmulatorError) -> FaultReport {
    try state.withLock { state throws(AppStoreEmulatorError) in
      guard let entry = state.table.entry(id) else { throw .unknownFault(id) }
      return state.report(entry, now: now)
    }
  }

  func remove(_ id: FaultID) throws(AppStoreEmulatorError) {
    let held = try change { state throws(AppStoreEmulatorError) in
      try state.table.remove(id)
      return state.release(id)
    }
    for request in held { request.resume(.over) }
    signal.notify()
  }

  /// Removes all faults, and returns their number.
  func removeAll() -> Int {
    let (number, held) = change { state in
      defer { state.table.removeAll() }
      return (state.table.entries.count, state.releaseAll())
    }
    for request in held { request.resume(.over) }
    signal.notify()
    return number
  }

  func release(_ id: FaultID) throws(AppStoreEmulatorError) -> Int {
    let held = try change { state throws(AppStoreEmulatorError) in
      try state.table.release(id)
      return state.release(id)
    }
    for request in held { request.resume(.over) }
    return held.count
  }

  /// Releases all requests, and holds none from now on. Ends ``untilHolding(_:number:)``.
  func close() {
    let held = state.withLock { state in
      state.isClosed = true
      return state.releaseAll()
    }
    for request in held { request.resume(.storeClosed) }
    signal.close()
  }

  // MARK: Applying faults

  func strike(_ metadata: RequestMetadata, clock: StoreClock) -> FaultStrike? {
    guard state.withLock({ !$0.table.entries.isEmpty }) else { return nil }
    return change { $0.table.strike(metadata, now: clock.now) }
  }

  func giveBack(_ strike: FaultStrike) { change { $0.table.giveBack(strike) } }

  /// Whether a fault of a kind is set.
  func contains(_ kind: (some FaultKind).Type) -> Bool {
    state.withLock { $0.table.entries.contains { type(of: $0.fault.kind) == kind } }
  }

  func asksForApp(of kind: RequestKind) -> Bool { state.withLock { $0.table.asksForApp(of: kind) } }

  // MARK: Waiting

  /// Waits until the fault is released or removed, or until `caller` stops waiting.
  ///
  /// - Parameter milliseconds: the maximum time; nil for no limit.
  func wait(for strike: FaultStrike, milliseconds: Int?, caller: (any StoreCaller)?) async -> WaitEnd {
    guard let caller else { return await self.wait(for: strike, milliseconds: milliseconds) }
    return await caller.whileWaiting { await self.wait(for: strike, milliseconds: milliseconds) } ?? .callerGone
  }

  private func wait(for strike: FaultStrike, milliseconds: Int?) async -> WaitEnd {
    let ticket = WaitQueue<WaitEnd>.Ticket()
    let id = strike.id
    var timer: Task<Void, Never>?
    defer {
      timer?.cancel()
      activity.note()
    }
    return await state.wait(
      in: \.[waiters: id], cancelled: .callerGone, as: ticket,
      unless: { current in
        if current.isClosed { return .storeClosed }
        guard current.table.holds(strike) else { return .over }
        if let milliseconds {
          // The timer needs the lock to resume the request. The lock is held until the request waits, so the timer
          // cannot be too early.
          timer = Task { [state, machine] in
            try? await machine.sleep(for: .milliseconds(milliseconds))
            if Task.isCancelled { return }
            let request = state.withLock { $0[waiters: id].remove(ticket) }
            request?.resume(.over)
          }
        }
        return nil
      },
      begun: { [activity, signal] in
        activity.note()
        signal.notify()
      })
  }

  /// Returns when the fault holds at least `number` requests.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownFault(_:)`` if there is no such fault, or it is removed during the wait;
  ///   `CancellationError` if the task is cancelled or the store is closed.
  func untilHolding(_ id: FaultID, number: Int) async throws {
    while true {
      let count = signal.count
      let isEnough = try state.withLock { state throws(AppStoreEmulatorError) in
        guard state.table.entry(id) != nil else { throw .unknownFault(id) }
        return state.waiting(for: id) >= number
      }
      if isEnough { return }
      try Task.checkCancellation()
      if signal.isClosed { throw CancellationError() }
      await signal.wait(beyond: count, seconds: 60)
    }
  }
}
