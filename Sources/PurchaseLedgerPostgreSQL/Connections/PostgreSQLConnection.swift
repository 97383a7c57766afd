import CPQ
import PurchaseLedger

/// A connection to PostgreSQL. Only one thread at a time may use it, and it blocks that thread until the server answers.
final class PostgreSQLConnection: SQLConnection {
  /// The maximum number of prepared statements. It protects the server's memory; a ledger uses far fewer.
  static let statementLimit = 1_000

  let handle: OpaquePointer
  /// The first failure of the transaction. After it the server refuses further statements and rolls the transaction back.
  var failure: PostgreSQLFailure?
  /// Whether a statement has changed a row since the transaction began.
  var hasChangedRows = false
  let warnings = ServerWarnings()
  private var statements: [StatementKey: PreparedStatement] = [:]

  /// A statement is prepared separately for each combination of argument types. Otherwise the argument types of its first
  /// call would also apply to all later calls.
  private struct StatementKey: Hashable {
    let sql: String
    let types: [Oid]
  }

  private final class PreparedStatement {
    let name: String
    var columns: [String: Int]?

    init(name: String) { self.name = name }
  }

  /// Takes ownership of `handle`. Use ``open(_:)`` to open a connection.
  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { PQfinish(handle) }

  var isLost: Bool { PQstatus(handle) == CONNECTION_BAD || failure?.kind == .connectionLost }

  func run(_ sql: String, _ arguments: [SQLValue]) throws -> SQLAnswer {
    do throws(PostgreSQLFailure) {
      let arguments = try StatementArguments(arguments)
      let statement = try prepared(sql, types: arguments.types)
      let result = try result(of: statement, arguments)
      hasChangedRows = hasChangedRows || result.changes > 0
      let columns = statement.columns ?? result.columns
      statement.columns = columns
      return SQLAnswer(rows: try result.rows(columns: columns), changes: result.changes)
    } catch {
      throw noted(error).error
    }
  }

  /// Runs statements without arguments, and waits. Returns the result of the last one, in text format.
  @discardableResult
  func execute(_ sql: String) throws(PostgreSQLFailure) -> PostgreSQLResult {
    do throws(PostgreSQLFailure) {
      return try checked(PQexec(handle, sql))
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
      try execute("DEALLOCATE ALL")
      statements = [:]
    }
    let statement = PreparedStatement(name: "ledger_\(statements.count + 1)")
    _ = try checked(PQprepare(handle, statement.name, sql, Int32(types.count), types))
    statements[key] = statement
    return statement
  }

  private func result(
    of statement: PreparedStatement, _ arguments: StatementArguments
  ) throws(PostgreSQLFailure) -> PostgreSQLResult {
    let result = arguments.withPointers { values, lengths, formats in
      PQexecPrepared(handle, statement.name, Int32(values.count), values, lengths, formats, 1)
    }
    do throws(PostgreSQLFailure) {
      return try checked(result)
    } catch {
      throw statement.columns == nil ? error : error.ofPreparedStatement
    }
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

  /// Receives the warnings of a connection, which must not outlive this object. libpq would otherwise print them.
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
