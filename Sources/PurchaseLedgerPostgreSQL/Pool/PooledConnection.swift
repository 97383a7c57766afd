import Dispatch
import PurchaseLedger

/// One connection of a ``ConnectionPool``, opened when it is needed.
///
/// It is used on a thread of its own, because libpq blocks the thread while it waits for an answer. The threads of
/// Swift concurrency must not be blocked.
final class PooledConnection: @unchecked Sendable {
  private let queue = DispatchQueue(label: "openstorekit.ledger.postgresql")
  // The following properties are used on the queue only.
  private var connection: PostgreSQLConnection?
  private var generation = 0

  /// The state of a connection after its use.
  enum End: Sendable {
    case open
    /// The connection was lost during the use.
    case lost
    /// The connection could not be opened.
    case notOpened
    /// The connection is not open: the task was cancelled.
    case closed
  }

  /// Runs `work` with the connection, which is opened first if it is closed or of an older generation.
  ///
  /// - Parameters:
  ///   - generation: the pool's current generation.
  ///   - cancellation: interrupts the statements of `work`; nil if they must not end early.
  ///   - finished: called before this function returns.
  func use<Value: Sendable>(
    generation: Int, configuration: PostgreSQLConfiguration, cancellation: TransactionCancellation?,
    finished: @escaping @Sendable (End) -> Void,
    _ work: @escaping @Sendable (PostgreSQLConnection) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        if self.generation != generation { connection = nil }
        var isOpening = false
        let result = Result {
          try cancellation?.check()
          isOpening = true
          let connection = try opened(generation, configuration)
          isOpening = false
          if let cancellation { connection.allowInterrupting(by: cancellation) }
          return try work(connection)
        }
        cancellation?.endInterrupting()
        let isLost = connection?.isLost ?? false
        // An interruption that arrives late would end a statement of the next transaction.
        if isLost || cancellation?.wasInterrupted ?? false { connection = nil }
        finished(isLost ? .lost : isOpening ? .notOpened : connection == nil ? .closed : .open)
        continuation.resume(with: result)
      }
    }
  }

  private func opened(_ generation: Int, _ configuration: PostgreSQLConfiguration) throws -> PostgreSQLConnection {
    if let connection { return connection }
    do throws(PostgreSQLOpeningFailure) {
      let opened = try PostgreSQLConnection.open(configuration)
      connection = opened
      self.generation = generation
      return opened
    } catch {
      switch error {
      case .transient(let reason): throw TransientFailure(error: .unavailable(reason: reason))
      case .permanent(let error): throw error
      }
    }
  }

  /// Closes the connection, if there is one.
  func close() async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        connection = nil
        continuation.resume()
      }
    }
  }
}
