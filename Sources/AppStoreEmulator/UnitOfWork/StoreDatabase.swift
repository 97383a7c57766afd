import DurableSQLite
import Foundation
import GRDB
import SignedData

/// The store's database. Every access is one ``StoreUnitOfWork``, which is one transaction.
final class StoreDatabase: Sendable {
  private let database: DurableDatabase
  private let clock: StoreClock
  private let authority: IssuingAuthority
  /// Notified after each commit that has something for devices.
  let deviceChanges: ChangeSignal

  init(_ database: DurableDatabase, clock: StoreClock, authority: IssuingAuthority, deviceChanges: ChangeSignal) {
    self.database = database
    self.clock = clock
    self.authority = authority
    self.deviceChanges = deviceChanges
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (StoreUnitOfWork) throws -> Value
  ) async throws -> Value {
    try await database.read { [clock, authority] database in
      try body(StoreUnitOfWork(database, clock: clock, authority: authority))
    }
  }

  /// Commits if `body` returns, and rolls back if it throws.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (StoreUnitOfWork) throws -> Value
  ) async throws -> Value {
    let (value, mustNotify) = try await database.write { [clock, authority] database in
      let work = try StoreUnitOfWork(database, clock: clock, authority: authority)
      let value = try body(work)
      try work.storeDateOfChanges()
      return (value, work.mustNotifyDevices)
    }
    if mustNotify { deviceChanges.notify() }
    return value
  }

  /// The whole database at one moment, as a SQLite file.
  func snapshot() async throws -> Data { try await database.snapshot() }

  func close() throws { try database.close() }
}
