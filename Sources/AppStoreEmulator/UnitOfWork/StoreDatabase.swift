import DurableSQLite
import Foundation
import GRDB
import SignedData
import StoreModel

/// The store's database. Every access is one ``StoreUnitOfWork``, which is one transaction.
///
/// Rows that wait for a date are settled before an access at that date or later. See Documentation/emulator-core.md.
final class StoreDatabase: Sendable {
  /// The number of due rows that one commit settles at most.
  static let rowsPerCommit = 100

  private let database: DurableDatabase
  private let clock: StoreClock
  private let authority: IssuingAuthority
  private let schedule: DueSchedule
  private let timer: DueTimer
  /// Notified after each commit that has something for devices.
  let deviceChanges: ChangeSignal

  init(
    _ database: DurableDatabase, clock: StoreClock, authority: IssuingAuthority, schedule: DueSchedule,
    machine: any MachineClock
  ) throws {
    self.database = database
    self.clock = clock
    self.authority = authority
    self.schedule = schedule
    deviceChanges = ChangeSignal(machine: machine)
    timer = DueTimer(clock: clock, machine: machine)
    setTimer(try database.read { try schedule.next(in: $0)?.date })
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (StoreUnitOfWork) throws -> Value
  ) async throws -> Value {
    while true {
      let value: Value? = try await database.read { [self] database in
        let work = try StoreUnitOfWork(database, clock: clock, authority: authority)
        if let due = try schedule.next(in: database), due.date <= work.now { return nil }
        return try body(work)
      }
      if let value { return value }
      // Settles a batch, and changes nothing else.
      _ = try await commit { _ in }
    }
  }

  /// Commits if `body` returns, and rolls back if it throws.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (StoreUnitOfWork) throws -> Value
  ) async throws -> Value {
    while true {
      if let value = try await commit(body) { return value }
    }
  }

  /// Makes one commit: of a batch of due rows, or, if no row is due, of `body`.
  ///
  /// - Returns: nil if rows were due.
  private func commit<Value: Sendable>(
    _ body: @escaping @Sendable (StoreUnitOfWork) throws -> Value
  ) async throws -> Value? {
    let (value, mustNotify, due): (Value?, Bool, StoreDate?) = try await database.write { [self] database in
      let work = try StoreUnitOfWork(database, clock: clock, authority: authority)
      var value: Value?
      if let due = try schedule.next(in: database), due.date <= work.now {
        try settle(upTo: work, postpones: true)
      } else {
        value = try body(work)
        try settle(upTo: work, postpones: false)
        try work.storeDateOfChanges()
      }
      return (value, work.mustNotifyDevices, try schedule.next(in: database)?.date)
    }
    if mustNotify { deviceChanges.notify() }
    setTimer(due)
    return value
  }

  /// Settles rows that are due at the date of `work` or before, each at its own date, and at most ``rowsPerCommit``.
  ///
  /// - Parameter postpones: whether a row that is refused is postponed; otherwise the refusal is thrown.
  private func settle(upTo work: StoreUnitOfWork, postpones: Bool) throws {
    for _ in 0..<Self.rowsPerCommit {
      guard let due = try schedule.next(in: work.database), due.date <= work.now else { return }
      let dueWork = try StoreUnitOfWork(work.database, clock: clock, authority: authority, at: due.date)
      let rows = due.kind.init(work: dueWork)
      do {
        try work.database.inSavepoint {
          try rows.settleEarliest()
          return .commit
        }
      } catch let refusal as StoreRefusal {
        guard postpones else { throw refusal }
        try rows.postponeEarliest()
      }
      try dueWork.storeDateOfChanges()
      if dueWork.mustNotifyDevices { work.notifyDevices() }
    }
  }

  /// Sets the timer that settles due rows when no call comes.
  private func setTimer(_ date: StoreDate?) {
    timer.set(date) { [weak self] in
      // An error of the database is thrown again by the next call, which settles the rows first.
      guard let self, let next = try? await read({ [schedule] in try schedule.next(in: $0.database)?.date }) else {
        return
      }
      setTimer(next)
    }
  }

  /// The whole database at one moment, as a SQLite file.
  func snapshot() async throws -> Data { try await database.snapshot() }

  func close() throws {
    timer.cancel()
    try database.close()
  }
}
