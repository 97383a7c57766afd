import CPQ

/// A minimal libpq connection, so that tests do not depend on the code that they test.
public final class PlainConnection {
  private let handle: OpaquePointer?

  public init(_ connectionString: String) throws {
    if let reason = CPQ_load() { throw PrivatePostgreSQLError.noClientLibrary(String(cString: reason)) }
    handle = PQconnectdb(connectionString)
    guard PQstatus(handle) == CONNECTION_OK else { throw PrivatePostgreSQLError.refused(errorMessage) }
    PQsetNoticeReceiver(handle, { _, _ in }, nil)
  }

  deinit { PQfinish(handle) }

  /// Runs one or more statements.
  ///
  /// - Returns: the rows of the last statement, as texts.
  @discardableResult
  public func run(_ sql: String) throws -> [[String?]] {
    let result = PQexec(handle, sql)
    defer { PQclear(result) }
    guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
      throw PrivatePostgreSQLError.refused(errorMessage)
    }
    return (0..<PQntuples(result)).map { row in
      (0..<PQnfields(result)).map { column in
        PQgetisnull(result, row, column) == 0 ? String(cString: PQgetvalue(result, row, column)) : nil
      }
    }
  }

  private var errorMessage: String { String(cString: PQerrorMessage(handle)) }
}
