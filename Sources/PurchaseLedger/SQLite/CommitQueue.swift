import DurableSQLite
import Foundation
import GRDB
import StoreModel

/// The queue of writes. All waiting writes are committed together, each in its own savepoint. A single write needs no
/// savepoint.
final class CommitQueue: Sendable {
  private typealias Ticket = WaitQueue<Void>.Ticket

  /// A write whose caller waits.
  private struct Job: Sendable {
    let ticket: Ticket
    /// Runs the write and keeps its result. The flag says whether other writes are in the same transaction.
    let run: @Sendable (Database, _ sharesCommit: Bool) throws -> Void
    /// Resumes the caller: with the result if there is no error, otherwise with the error of the commit.
    let resume: @Sendable ((any Error)?) -> Void
  }

  private struct State: Sendable {
    var waiting: [Job] = []
    var isWorking = false
  }

  /// The maximum number of writes in one commit. It limits how long the first write waits.
  private static let mostTogether = 256

  private let database: DurableDatabase
  private let file: LedgerFile?
  private let texts: StatementTexts
  private let waitingWrites: Int
  private let worker = DispatchQueue(label: "OpenStoreKit.CommitQueue")
  private let state = LockedValue(State())

  /// - Parameter file: checked before each commit; nil for a database in memory.
  init(_ database: DurableDatabase, file: LedgerFile?, texts: StatementTexts, waitingWrites: Int) {
    self.database = database
    self.file = file
    self.texts = texts
    self.waitingWrites = waitingWrites
  }

  /// - Throws: the error of `body` or of the commit; ``LedgerDatabaseError/overloaded``; `CancellationError` if the task is
  ///   cancelled before `body` has ended.
  func add<Value: Sendable>(_ body: @escaping @Sendable (LedgerTransaction) throws -> Value) async throws -> Value {
    try await TransactionCancellation.run { cancellation in
      let ticket = Ticket()
      return try await withCheckedThrowingContinuation { continuation in
        let job = job(ticket, body, cancellation) { continuation.resume(with: $0) }
        guard enqueue(job) else { return continuation.resume(throwing: LedgerDatabaseError.overloaded) }
        cancellation.beginInterrupting { self.remove(ticket)?.resume(CancellationError()) }
      }
    }
  }

  private func job<Value: Sendable>(
    _ ticket: Ticket, _ body: @escaping @Sendable (LedgerTransaction) throws -> Value,
    _ cancellation: TransactionCancellation, resume: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> Job {
    let texts = texts
    let result = LockedValue<Result<Value, any Error>?>(nil)
    let run: @Sendable (Database) throws -> Value = { database in
      try cancellation.check()
      return try body(LedgerTransaction(SQLiteConnection(database, texts: texts), cancellation: cancellation))
    }
    return Job(ticket: ticket) { database, sharesCommit in
      guard sharesCommit else {
        result.value = .success(try run(database))
        return
      }
      // An error rolls back to the savepoint, and is thrown to the caller of this write only.
      let outcome = Result {
        var value: Value?
        try database.inSavepoint {
          value = try run(database)
          return .commit
        }
        guard let value else { throw LedgerDatabaseError.failed(reason: "a savepoint gave nothing") }
        return value
      }
      result.value = outcome
      // Some errors, such as a full disk, roll back the whole transaction. Then all writes of this commit fail.
      if case .failure(let error) = outcome, !database.isInsideTransaction { throw error }
    } resume: { error in
      if let error {
        resume(.failure(error))
      } else if let result = result.value {
        resume(result)
      }
    }
  }

  /// Removes a write that still waits; nil if it runs or has run.
  private func remove(_ ticket: Ticket) -> Job? {
    state.withLock { state in
      state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
    }
  }

  /// Returns when all writes that were added before have ended.
  func drain() async {
    await withCheckedContinuation { continuation in worker.async { continuation.resume() } }
  }

  private func enqueue(_ job: Job) -> Bool {
    state.withLock { state in
      guard state.waiting.count < waitingWrites else { return false }
      state.waiting.append(job)
      if !state.isWorking {
        state.isWorking = true
        worker.async { self.work() }
      }
      return true
    }
  }

  private func work() {
    while let jobs = next() {
      do {
        try file?.check()
        try database.write { database in
          for job in jobs { try job.run(database, jobs.count > 1) }
        }
        for job in jobs { job.resume(nil) }
      } catch {
        for job in jobs { job.resume(error) }
      }
    }
  }

  private func next() -> [Job]? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isWorking = false
        return nil
      }
      defer { state.waiting.removeFirst(min(Self.mostTogether, state.waiting.count)) }
      return Array(state.waiting.prefix(Self.mostTogether))
    }
  }
}
