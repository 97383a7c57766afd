import CPQ
import PurchaseLedger

/// A statement for the server, with its arguments.
enum PostgreSQLMessage {
  /// A statement without arguments. Its result is in text format.
  case text(String)
  /// The beginning of a transaction.
  case begin(String)
  /// A statement that takes the locks of a transaction.
  case locking(PreparedStatement, StatementArguments)
  /// A statement that takes locks without waiting. If one is not free, the transaction fails: kind `locksTaken`.
  case lockingWithoutWaiting(PreparedStatement, StatementArguments)
  /// A prepared statement. Its result is in binary format. If there is a pending answer, it gets the result.
  case prepared(PreparedStatement, StatementArguments, PendingAnswer?)

  /// Sends the message and waits. Returns its result; nil if the connection is lost.
  func run(on handle: OpaquePointer) -> OpaquePointer? {
    switch self {
    case .text(let sql), .begin(let sql): PQexec(handle, sql)
    case .locking(let statement, let arguments), .lockingWithoutWaiting(let statement, let arguments),
      .prepared(let statement, let arguments, _):
      arguments.withPointers { values, lengths, formats in
        PQexecPrepared(handle, statement.name, Int32(values.count), values, lengths, formats, 1)
      }
    }
  }

  /// Sends the message without waiting.
  ///
  /// - Returns: false if the connection is lost.
  func send(on handle: OpaquePointer) -> Bool {
    switch self {
    case .text(let sql), .begin(let sql):
      PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 0) == 1
    case .locking(let statement, let arguments), .lockingWithoutWaiting(let statement, let arguments),
      .prepared(let statement, let arguments, _):
      arguments.withPointers { values, lengths, formats in
        PQsendQueryPrepared(handle, statement.name, Int32(values.count), values, lengths, formats, 1) == 1
      }
    }
  }

  /// Returns the failure to report if the message fails with `failure`.
  func explained(_ failure: PostgreSQLFailure) -> PostgreSQLFailure {
    switch self {
    case .text, .begin: failure
    case .locking, .lockingWithoutWaiting: failure.whileLocking.ofPreparedStatement
    case .prepared(let statement, _, _): statement.columns == nil ? failure : failure.ofPreparedStatement
    }
  }
}

/// A statement that the server has prepared on one connection.
final class PreparedStatement {
  let name: String
  /// The index of each column of the result; nil until the statement has succeeded once.
  var columns: [String: Int]?

  init(name: String) { self.name = name }
}
