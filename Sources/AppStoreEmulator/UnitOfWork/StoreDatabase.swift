import DurableSQLite
import Foundation
import GRDB
import SignedData
import StoreModel

/// The store's database. Every access is one ``StoreUnitOfWork``; a write is one transaction.
///
/// Rows that wait for a date are settled before an access at that date or later. See Documentation/emulator-core.md.
final class StoreDatabase: Sendable {
  /// The maximum number of due rows that one commit settles.
  static let rowsPerCommit = 100

  private let database: DurableDatabase
  private let clock: StoreClock
  private let authority: IssuingAuthority
  private let schedule: DueSchedule
  private let projections: [any EventProjection.Type]
  private let timer: DueTimer
  private let report: @Sendable (StoreProblem) -> Void
  /// Notified after each commit with changes for devices.
  let deviceChanges: ChangeSignal
  /// Notified after each commit that may have changed a customer's records, or has changes for devices.
  let recordChanges: ChangeSignal
  /// Notified after each commit that changes what is to be sent to servers, or when.
  let notificationChanges: ChangeSignal

  init(
    _ database: DurableDatabase, clock: StoreClock, authority: IssuingAuthority, schedule: DueSchedule,
    projections: [any EventProjection.Type], machine: any MachineClock,
    report: @escaping @Sendable (StoreProblem) -> Void
  ) throws {
    self.database = database
    self.clock = clock
    self.authority = authority
    self.schedule = schedule
    self.projections = projections
    self.report = report
    deviceChanges = ChangeSignal(machine: machine)
    recordChanges = ChangeSignal(machine: machine)
    notificationChanges = ChangeSignal(machine: machine)
    timer = DueTimer(clock: clock, machine: machine)
    setTimer(try database.read { try schedule.next(in: $0)?.date })
  }

  /// Returns the result of `body`, which must not change anything.
  ///
  /// - Throws: `CancellationError` if the task is cancelled while rows are settled before `body`. `body` is not run then.
  ///   Settling can take minutes, and a server that is stopping does not wait for it. The timer or the
  ///   next call settles the remaining rows.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (StoreUnitOfWork) throws -> Value
  ) async throws -> Value {
    let arrival = clock.now
    while true {
      let value = try await database.read { [self] in try run(body, arrival, in: $0) }
      if let value { return value }
      // Settles a batch, and changes nothing else.
      _ = try await commit(arrival) { _ in }
      try Task.checkCancellation()
    }
  }

  /// Does the same for a caller that cannot wait asynchronously. Blocks the calling thread, and uses no thread of Swift's
  /// concurrency pool.
  func read<Value: Sendable>(_ body: @escaping @Sendable (StoreUnitOfWork) throws -> Value) throws -> Value {
    let arrival = clock.now
    while true {
      if let value = try database.read({ try run(body, arrival, in: $0) }) { return value }
      _ = try commit(arrival) { _ in }
    }
  }

  /// - Returns: nil if rows are due. `body` is not run then.
  private func run<Value>(
    _ body: (StoreUnitOfWork) throws -> Value, _ arrival: StoreDate, in database: Database
  ) throws -> Value? {
    let work = try StoreUnitOfWork(database, clock: clock, authority: authority, at: .arrival(arrival))
    if let due = try schedule.next(in: database), due.date <= work.now { return nil }
    defer { assert(!work.hasChanges, "changed outside a transaction") }
    return try body(work)
  }

  /// Runs `body` in a transaction. Commits if `body` returns, and rolls back if it throws.
  ///
  /// - Throws: `CancellationError` in the same cases as ``read(_:)``.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (StoreUnitOfWork) throws -> Value
  ) async throws -> Value {
    let arrival = clock.now
    while true {
      if let value = try await commit(arrival, body) { return value }
      try Task.checkCancellation()
    }
  }

  /// Does the same for a caller that cannot wait asynchronously, as the synchronous ``read(_:)``.
  func write<Value: Sendable>(_ body: @escaping @Sendable (StoreUnitOfWork) throws -> Value) throws -> Value {
    let arrival = clock.now
    while true { if let value = try commit(arrival, body) { return value } }
  }

  /// Makes one commit. If rows are due, it settles a batch of them. Otherwise it runs `body`, and then settles rows
  /// that `body` made due.
  ///
  /// - Parameter arrival: the date at which the call arrived. It stays the same while rows are settled first, so that a
  ///   fast clock cannot make rows due faster than they are settled.
  /// - Returns: nil if rows were due.
  private func commit<Value: Sendable>(
    _ arrival: StoreDate, _ body: @escaping @Sendable (StoreUnitOfWork) throws -> Value
  ) async throws -> Value? {
    let steps = StepsOfCommit([])
    let result = try await database.write({ [self] in try run(body, arrival, steps, in: $0) }) { [self] in
      committed($0, steps)
    }
    reportProblems(steps)
    return result.value
  }

  private func commit<Value: Sendable>(
    _ arrival: StoreDate, _ body: @escaping @Sendable (StoreUnitOfWork) throws -> Value
  ) throws -> Value? {
    let steps = StepsOfCommit([])
    let result = try database.write({ try run(body, arrival, steps, in: $0) }, committed: { committed($0, steps) })
    reportProblems(steps)
    return result.value
  }

  /// The steps are not part of the result of a commit. An action may retain the store, and the store retains the database.
  /// The database's queue may be the last to release the result, and would then release the database on its own queue.
  private typealias StepsOfCommit = LockedValue<[AfterCommit]>

  private func run<Value: Sendable>(
    _ body: (StoreUnitOfWork) throws -> Value, _ arrival: StoreDate, _ steps: StepsOfCommit, in database: Database
  ) throws -> Committed<Value> {
    let work = try StoreUnitOfWork(database, clock: clock, authority: authority, at: .arrival(arrival))
    let isBlocked = try schedule.next(in: database).map { $0.date <= work.now } ?? false
    let value = isBlocked ? nil : try body(work)
    try project(work)
    let next = try settle(upTo: work, postpones: isBlocked)
    if !isBlocked { try work.storeDateOfChanges() }
    steps.value = work.stepsAfterCommit
    return Committed(value: value, due: next)
  }

  /// Called on the database's queue, so that the clock and the timer change in the order of the commits.
  private func committed<Value>(_ result: Committed<Value>, _ steps: StepsOfCommit) {
    steps.value = performOnQueue(steps.value)
    setTimer(result.due)
  }

  private func reportProblems(_ steps: StepsOfCommit) {
    for case .report(let problem) in steps.value { report(problem) }
  }

  /// Performs the steps that must be done before the next unit of work begins.
  ///
  /// - Returns: the other steps.
  private func performOnQueue(_ steps: [AfterCommit]) -> [AfterCommit] {
    var others: [AfterCommit] = []
    var (wakesDevices, wakesFollowers, wakesNotifications) = (false, false, false)
    for step in steps {
      switch step {
      case .perform(let action): action()
      case .wakeDevices: wakesDevices = true
      case .wakeFollowers: wakesFollowers = true
      case .wakeNotifications: wakesNotifications = true
      case .report: others.append(step)
      }
    }
    if wakesDevices { deviceChanges.notify() }
    if wakesDevices || wakesFollowers { recordChanges.notify() }
    if wakesNotifications { notificationChanges.notify() }
    return others
  }

  /// The result of a commit.
  private struct Committed<Value: Sendable>: Sendable {
    /// Nil if the commit settled due rows instead.
    let value: Value?
    /// The earliest date at which a row is due.
    let due: StoreDate?
  }

  /// Settles rows that are due at the date of `work` or before, each at its own date, and at most ``rowsPerCommit``.
  ///
  /// - Parameter postpones: whether a row that cannot be settled is postponed and reported; otherwise the error is thrown.
  /// - Returns: the earliest date at which a row is due after that.
  private func settle(upTo work: StoreUnitOfWork, postpones: Bool) throws -> StoreDate? {
    for _ in 0..<Self.rowsPerCommit {
      guard let due = try schedule.next(in: work.database) else { return nil }
      guard due.date <= work.now else { return due.date }
      let dueWork = try StoreUnitOfWork(work.database, clock: clock, authority: authority, at: .due(due.date))
      // Most rows of a batch need the same products, and settling changes none.
      (dueWork.apps, dueWork.products) = (work.apps, work.products)
      let rows = due.kind.init(work: dueWork)
      do {
        try work.database.inSavepoint {
          try rows.settleEarliest()
          try project(dueWork)
          return .commit
        }
      } catch let error where postpones && !(error is DatabaseError) {
        dueWork.forgetChanges()
        try rows.postponeEarliest()
        work.afterCommit(.report(.postponed("\(due.kind)", due: due.date, reason: "\(error)")))
      }
      (work.apps, work.products) = (dueWork.apps, dueWork.products)
      try dueWork.storeDateOfChanges()
      dueWork.stepsAfterCommit.forEach(work.afterCommit)
    }
    return try schedule.next(in: work.database)?.date
  }

  /// Appends the rows that the projections make from the events of a unit of work.
  private func project(_ work: StoreUnitOfWork) throws {
    guard !work.recordedEvents.isEmpty else { return }
    for projection in projections { try projection.init(work: work).append(work.recordedEvents) }
  }

  /// Sets the timer that settles due rows when no call arrives. Called on the database's queue.
  private func setTimer(_ date: StoreDate?) {
    timer.set(date) { [weak self] in
      // Settles due rows, and sets the timer again. A database error is ignored here, because the next call throws it
      // again. Even without other calls, a device that waits for changes makes the next call within a minute.
      _ = try? await self?.read { [weak self] work in self?.setTimer(try self?.schedule.next(in: work.database)?.date) }
    }
  }

  /// The earliest date at which a row is due; nil if no row waits for a date. It is later than the date of `work`, because
  /// due rows are settled first.
  func nextDueDate(in work: StoreUnitOfWork) throws -> StoreDate? { try schedule.next(in: work.database)?.date }

  /// The whole database at one moment, as a SQLite file.
  func snapshot() async throws -> Data { try await database.snapshot() }

  func close() throws {
    timer.close()
    deviceChanges.close()
    recordChanges.close()
    notificationChanges.close()
    try database.close()
  }
}
