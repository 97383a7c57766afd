import Dispatch
import PurchaseLedger
import StoreModel

/// The connection of one write to its shared transaction. The write runs on a thread of its own, which stops when it needs
/// an answer. When all writes of the transaction have stopped, their statements are sent together.
final class SharedConnection: SQLConnection, @unchecked Sendable {
  /// A statement that was not sent yet.
  struct Statement {
    let sql: String
    let arguments: StatementArguments
    let answer: PendingAnswer
  }

  // The write's thread uses these properties while it runs, the thread of the transaction while the write has stopped.
  private var statements: [Statement] = []
  private var sent: [PendingAnswer] = []
  private var failure: LedgerDatabaseError?
  /// The error of a statement that could not be sent. It ends the write, even if the write ignores it.
  private var refused: LedgerDatabaseError?
  /// The error of the write, if it ended with one.
  private(set) var error: (any Error)?
  private(set) var hasEnded = false
  /// Whether a statement of the write has changed a row. Valid while the write has stopped.
  private(set) var hasChangedRows = false

  private let stopped: @Sendable () -> Void
  private let continuing = DispatchSemaphore(value: 0)

  /// - Parameter stopped: called each time the write stops: when it needs an answer, or has ended.
  init(stopped: @escaping @Sendable () -> Void) { self.stopped = stopped }

  // MARK: The write's thread

  func start(_ write: SharedWrite) {
    DispatchQueue(label: "openstorekit.ledger.shared-write").async { [self] in
      error = write.run(LedgerTransaction(self, holding: write.locks)) ?? refused
      hasEnded = true
      stopped()
    }
  }

  func run(_ sql: String, _ arguments: [SQLValue]) throws -> SQLAnswer { try runLater(sql, arguments).get() }

  @discardableResult
  func runLater(_ sql: String, _ arguments: [SQLValue]) throws -> PendingAnswer {
    if let failure { throw failure }
    let answer = PendingAnswer { [unowned self] in try waitForAnswers() }
    do throws(PostgreSQLFailure) {
      statements.append(Statement(sql: sql, arguments: try StatementArguments(arguments), answer: answer))
    } catch {
      refused = error.error
      throw error.error
    }
    return answer
  }

  private func waitForAnswers() throws {
    if failure == nil {
      stopped()
      continuing.wait()
    }
    if let failure { throw failure }
  }

  // MARK: The transaction's thread

  /// Returns the statements to send. A write that has failed changes nothing more, so its statements are dropped.
  func takeStatements() -> [Statement] {
    defer { statements = [] }
    guard error == nil else { return [] }
    sent += statements.map(\.answer)
    return statements
  }

  /// Continues the write after its statements were sent.
  ///
  /// - Parameter failure: the error for the write if the transaction has failed.
  func proceed(_ failure: LedgerDatabaseError?) {
    self.failure = failure
    hasChangedRows = hasChangedRows || sent.contains { ($0.known?.changes ?? 0) > 0 }
    sent = []
    continuing.signal()
  }
}
