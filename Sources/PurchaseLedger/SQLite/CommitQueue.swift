import DurableSQLite
import Foundation
import GRDB

/// The writes that wait for their turn. All that wait are committed at once, each in a savepoint of its own.
final class CommitQueue: @unchecked Sendable {
  /// A write, and who waits for it.
  private struct Job {
    /// Does it, and keeps what came of it.
    let run: (Database) throws -> Void
    /// Tells who waits: nil for what came of it, or why there was no commit.
    let tell: ((any Error)?) -> Void
  }

  /// So that the first of them does not wait for ever for the last.
  private static let mostTogether = 256

  private let database: DurableDatabase
  private let texts: StatementTexts
  private let waitingWrites: Int
  private let worker = DispatchQueue(label: "OpenStoreKit.CommitQueue")
  private let lock = NSLock()
  private var waiting: [Job] = []
  private var isWorking = false

  init(_ database: DurableDatabase, texts: StatementTexts, waitingWrites: Int) {
    self.database = database
    self.texts = texts
    self.waitingWrites = waitingWrites
  }

  func add<Value: Sendable>(_ body: @escaping @Sendable (LedgerTransaction) throws -> Value) async throws -> Value {
    let texts = texts
    return try await withCheckedThrowingContinuation { continuation in
      var result: Result<Value, any Error>?
      let job = Job { database in
        // An error rolls back to the savepoint, and goes to who waits for this write alone.
        result = Result {
          var value: Value?
          try database.inSavepoint {
            value = try body(LedgerTransaction(SQLiteConnection(database, texts: texts)))
            return .commit
          }
          guard let value else { throw LedgerDatabaseError.failed(reason: "a savepoint gave nothing") }
          return value
        }
        // Some errors, a full disk among them, take the whole transaction with them.
        if case .failure(let error) = result, !database.isInsideTransaction { throw error }
      } tell: { error in
        if let error {
          continuation.resume(throwing: error)
        } else if let result {
          continuation.resume(with: result)
        }
      }
      guard enqueue(job) else { return continuation.resume(throwing: LedgerDatabaseError.overloaded) }
    }
  }

  /// Returns when nothing that was added before waits any more.
  func drain() async {
    await withCheckedContinuation { continuation in worker.async { continuation.resume() } }
  }

  private func enqueue(_ job: Job) -> Bool {
    lock.withLock {
      guard waiting.count < waitingWrites else { return false }
      waiting.append(job)
      if !isWorking {
        isWorking = true
        worker.async { self.work() }
      }
      return true
    }
  }

  private func work() {
    while let jobs = next() {
      do {
        try database.write { database in
          for job in jobs { try job.run(database) }
        }
        for job in jobs { job.tell(nil) }
      } catch {
        for job in jobs { job.tell(error) }
      }
    }
  }

  private func next() -> [Job]? {
    lock.withLock {
      guard !waiting.isEmpty else {
        isWorking = false
        return nil
      }
      defer { waiting.removeFirst(min(Self.mostTogether, waiting.count)) }
      return Array(waiting.prefix(Self.mostTogether))
    }
  }
}
