import CPQ
import PurchaseLedger

/// A connection to PostgreSQL. Only one thread at a time may use it, and it blocks that thread until the server answers.
final class PostgreSQLConnection: SQLConnection {
  /// The maximum number of prepared statements. It protects the server's memory; a ledger uses far fewer.
  static let statementLimit = 1_000
  /// The number of waiting messages at which they are sent.
  private static let waitingLimit = 100

  let handle: OpaquePointer
  /// The first failure of the transaction; nil if there is none. After a failed statement, the transaction cannot be
  /// committed. After `notReplicated` it is committed on this server. After a lost connection it may be committed.
  var failure: PostgreSQLFailure?
  /// Whether a statement has changed a row since the transaction began.
  var hasChangedRows = false
  let warnings = ServerWarnings()
  /// The messages that are sent together with the next statement.
  var waiting: [PostgreSQLMessage] = []
  private var statements: [StatementKey: PreparedStatement] = [:]

  /// A statement is prepared separately for each combination of argument types. Otherwise the argument types of its first
  /// call would also apply to all later calls.
  private struct StatementKey: Hashable {
    let sql: String
    let types: [Oid]
  }

  /// Takes ownership of `handle`. Use ``open(_:)`` to open a connection.
  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { PQfinish(handle) }

  var isLost: Bool { PQstatus(handle) == CONNECTION_BAD || failure?.kind == .connectionLost }

  func run(_ sql: String, _ arguments: [SQLValue]) throws -> SQLAnswer {
    do throws(PostgreSQLFailure) {
      let arguments = try StatementArguments(arguments)
      let statement = try prepared(sql, types: arguments.types)
      let result = try result(of: .prepared(statement, arguments, nil))
      return try answer(result, of: statement)
    } catch {
      throw noted(error).error
    }
  }

  @discardableResult
  func runLater(_ sql: String, _ arguments: [SQLValue]) throws -> PendingAnswer {
    let answer = PendingAnswer { [weak self] in
      guard let self else { return }
      if let failure { throw failure.error }
      do throws(PostgreSQLFailure) { try sendWaiting() } catch { throw error.error }
    }
    do throws(PostgreSQLFailure) {
      try sendLater(sql, try StatementArguments(arguments), answer)
      return answer
    } catch {
      throw noted(error).error
    }
  }

  /// Sends a statement together with the next ones. `answer` gets its result.
  func sendLater(
    _ sql: String, _ arguments: StatementArguments, _ answer: PendingAnswer
  ) throws(PostgreSQLFailure) {
    do throws(PostgreSQLFailure) {
      waiting.append(.prepared(try prepared(sql, types: arguments.types), arguments, answer))
      if waiting.count >= Self.waitingLimit { try sendWaiting() }
    } catch {
      throw noted(error)
    }
  }

  /// Takes locks in the given order, together with the next statement.
  ///
  /// - Parameter waitsForLocks: whether to wait for locks that are not free. Otherwise, the transaction then fails: kind
  ///   `locksTaken`.
  func lockLater(_ locks: [AdvisoryLock], waitsForLocks: Bool) throws {
    do throws(PostgreSQLFailure) {
      let arguments = try StatementArguments([AdvisoryLock.argument(locks)])
      waiting.append(
        waitsForLocks
          ? .locking(try prepared(AdvisoryLock.statement, types: arguments.types), arguments)
          : .lockingWithoutWaiting(
            try prepared(AdvisoryLock.statementWithoutWaiting, types: arguments.types), arguments))
    } catch {
      throw noted(error).error
    }
  }

  /// Runs a statement without arguments, and waits. Returns its result in text format.
  @discardableResult
  func execute(_ sql: String) throws(PostgreSQLFailure) -> PostgreSQLResult {
    do throws(PostgreSQLFailure) {
      return try result(of: .text(sql))
    } catch {
      throw noted(error)
    }
  }

  /// Whether a statement of ``runLater(_:_:)`` was not sent yet.
  var hasWaitingStatements: Bool { waiting.contains { if case .prepared = $0 { true } else { false } } }

  /// Sends the waiting messages, and waits for their results.
  func sendWaiting() throws(PostgreSQLFailure) {
    guard let last = waiting.popLast() else { return }
    do throws(PostgreSQLFailure) {
      _ = try result(of: last)
    } catch {
      throw noted(error)
    }
  }

  /// Sends a statement without waiting. libpq reads and drops the result before the next statement is sent.
  func send(_ sql: String) {
    if PQsendQuery(handle, sql) == 0 { _ = noted(lost()) }
  }

  private func noted(_ failure: PostgreSQLFailure) -> PostgreSQLFailure {
    self.failure = self.failure ?? failure
    return failure
  }

  private func prepared(_ sql: String, types: [Oid]) throws(PostgreSQLFailure) -> PreparedStatement {
    let key = StatementKey(sql: sql, types: types)
    if let statement = statements[key] { return statement }
    if statements.count >= Self.statementLimit {
      try sendWaiting()
      try execute("DEALLOCATE ALL")
      statements = [:]
    }
    let statement = PreparedStatement(name: "ledger_\(statements.count + 1)")
    _ = try checked(PQprepare(handle, statement.name, sql, Int32(types.count), types))
    statements[key] = statement
    return statement
  }

  /// Sends the waiting messages and one more, and waits. Returns the result of the last one.
  private func result(of message: PostgreSQLMessage) throws(PostgreSQLFailure) -> PostgreSQLResult {
    let messages = waiting + [message]
    waiting = []
    do throws(PostgreSQLFailure) {
      guard messages.count == 1 else { return try pipeline(messages) }
      let result = try checked(message.run(on: handle))
      try note(result, of: message)
      return result
    } catch {
      throw messages.count == 1 ? message.explained(error) : error
    }
  }

  /// Sends several messages before their results are read, so that they cost one round trip. The server runs them one
  /// after the other, each with its own snapshot. After an error it skips the rest.
  ///
  /// While the server does not read, because it waits until its results are read, libpq reads and keeps them.
  private func pipeline(_ messages: [PostgreSQLMessage]) throws(PostgreSQLFailure) -> PostgreSQLResult {
    // The result of a message that was sent without waiting may still be unread.
    while let unread = PQgetResult(handle) { PQclear(unread) }
    guard PQenterPipelineMode(handle) == 1 else { throw lost() }
    for message in messages where !message.send(on: handle) { throw lost() }
    guard PQpipelineSync(handle) == 1 else { throw lost() }
    var failure: PostgreSQLFailure?
    var last: PostgreSQLResult?
    for (place, message) in messages.enumerated() {
      // Warnings of the earlier messages are dropped, so that `warnings` has only those of the last message.
      if place == messages.count - 1 { warnings.forget() }
      let answer = PQgetResult(handle)
      do throws(PostgreSQLFailure) {
        let result = try checked(answer)
        try note(result, of: message)
        last = result
      } catch {
        failure = failure ?? message.explained(error)
      }
      // A null pointer ends the results of each message.
      while let more = PQgetResult(handle) { PQclear(more) }
    }
    let end = PQgetResult(handle)
    defer { PQclear(end) }
    // If the results do not end here, the next message would get the result of another one. So the connection is given up.
    guard PQresultStatus(end) == PGRES_PIPELINE_SYNC, PQexitPipelineMode(handle) == 1 else { throw lost() }
    if let failure { throw failure }
    guard let last else { throw lost() }
    return last
  }

  private func note(_ result: PostgreSQLResult, of message: PostgreSQLMessage) throws(PostgreSQLFailure) {
    hasChangedRows = hasChangedRows || result.changes > 0
    switch message {
    case .text, .begin, .locking: break
    case .lockingWithoutWaiting(let statement, _):
      if statement.columns == nil { statement.columns = result.columns }
      let rows = try answer(result, of: statement).rows
      // A row that cannot be read counts as a lock that is not held.
      guard rows.allSatisfy({ (try? $0.flag("held")) == true }) else {
        throw PostgreSQLFailure(kind: .locksTaken, reason: "another transaction holds a lock")
      }
    case .prepared(let statement, _, let pending):
      if statement.columns == nil { statement.columns = result.columns }
      if let pending { pending.set(try answer(result, of: statement)) }
    }
  }

  private func answer(
    _ result: PostgreSQLResult, of statement: PreparedStatement
  ) throws(PostgreSQLFailure) -> SQLAnswer {
    SQLAnswer(rows: try result.rows(columns: statement.columns ?? [:]), changes: result.changes)
  }

  private func checked(_ answer: OpaquePointer?) throws(PostgreSQLFailure) -> PostgreSQLResult {
    guard let result = answer.map(PostgreSQLResult.init), PQstatus(handle) == CONNECTION_OK else { throw lost() }
    guard !result.succeeded else { return result }
    // An error without SQLSTATE comes from libpq, which has detected that the connection is lost. libpq may not have
    // closed its end yet.
    throw result.failure ?? lost()
  }

  private func lost() -> PostgreSQLFailure { PostgreSQLFailure(kind: .connectionLost, reason: errorMessage) }

  /// libpq's message about the last error.
  private var errorMessage: String { Self.errorMessage(of: handle) }

  static func errorMessage(of handle: OpaquePointer?) -> String {
    String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}

/// The warnings that a server sends in addition to its results. libpq delivers them while it reads a result.
final class ServerWarnings {
  // The values of PG_DIAG_SEVERITY_NONLOCALIZED and PG_DIAG_MESSAGE_PRIMARY, which Swift does not import.
  private static let severityField = Int32(UInt8(ascii: "V"))
  private static let reasonField = Int32(UInt8(ascii: "M"))

  /// The last warning since ``forget()``; notices of lower severity are dropped.
  private(set) var last: String?

  /// Receives the warnings of a connection. Without a receiver, libpq prints them. The connection must not outlive this
  /// object.
  func listen(to handle: OpaquePointer) {
    PQsetNoticeReceiver(
      handle,
      { context, result in
        guard let context, let result else { return }
        Unmanaged<ServerWarnings>.fromOpaque(context).takeUnretainedValue().receive(result)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  func forget() { last = nil }

  private func receive(_ result: OpaquePointer) {
    guard let severity = PQresultErrorField(result, Self.severityField), String(cString: severity) == "WARNING" else {
      return
    }
    last = PQresultErrorField(result, Self.reasonField).map { String(cString: $0) } ?? "a warning without a text"
  }
}
