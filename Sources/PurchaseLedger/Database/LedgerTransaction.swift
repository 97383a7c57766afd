/// One transaction of a ledger's database, from inside.
///
/// What the ledger knows how to look up and to write is in extensions beside the things they are about.
public final class LedgerTransaction {
  private let connection: any SQLConnection
  /// Nil where there is one writer, and so nothing to lock.
  private let locks: Set<LedgerLock>?

  public init(_ connection: any SQLConnection, holding locks: Set<LedgerLock>? = nil) {
    self.connection = connection
    self.locks = locks
  }

  /// Says that what follows is about `lock` too. Where it is not held, the transaction begins anew with it.
  ///
  /// To be called before anything is read that the lock guards.
  func require(_ wanted: LedgerLock...) throws { try require(Set(wanted)) }

  /// The same for many.
  func require(_ wanted: Set<LedgerLock>) throws {
    guard let locks, !locks.isSuperset(of: wanted) else { return }
    throw LedgerLocksMissing(locks: wanted)
  }

  func rows(_ sql: String, _ arguments: any SQLValueConvertible...) throws -> [SQLRow] {
    try connection.run(sql, arguments.map(\.sqlValue)).rows
  }

  /// The first row, or nil if there is none.
  func row(_ sql: String, _ arguments: any SQLValueConvertible...) throws -> SQLRow? {
    try connection.run(sql, arguments.map(\.sqlValue)).rows.first
  }

  /// - Returns: how many rows were changed.
  @discardableResult
  func execute(_ sql: String, _ arguments: any SQLValueConvertible...) throws -> Int {
    try connection.run(sql, arguments.map(\.sqlValue)).changes
  }
}
