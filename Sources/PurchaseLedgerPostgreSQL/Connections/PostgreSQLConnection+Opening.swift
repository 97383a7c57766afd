import CPQ
import PurchaseLedger

extension PostgreSQLConnection {
  /// Opens a connection, blocking the thread, and checks that its commits are durable.
  static func open(_ configuration: PostgreSQLConfiguration) throws(PostgreSQLOpeningFailure) -> PostgreSQLConnection {
    let settings = configuration.libpqSettings
    let handle = withCStrings(settings.map(\.name)) { names in
      withCStrings(settings.map(\.value)) { values in PQconnectdbParams(names, values, 1) }
    }
    guard let handle else { throw .transient("there is no memory for a connection") }
    let connection = PostgreSQLConnection(handle)
    if PQstatus(handle) != CONNECTION_OK {
      if let refusal = OpeningRefusal(askingAgain: handle) { throw .permanent(refusal.error) }
      guard PQstatus(handle) == CONNECTION_OK else { throw .transient(errorMessage(of: handle)) }
    }
    connection.warnings.listen(to: handle)
    let answer: [String]
    do throws(PostgreSQLFailure) {
      answer = try connection.execute(configuration.sessionStatements).firstRow
    } catch {
      throw error.isTransient ? .transient(error.reason) : .permanent(error.error)
    }
    if let flaw = ServerSettings(answer).flaw(in: configuration) { throw .permanent(flaw) }
    return connection
  }

  /// Calls `body` with the texts as C strings, followed by a null pointer.
  private static func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
  ) -> Result {
    let bytes = texts.map { Array($0.utf8CString) }
    let places = bytes.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
    return Array(bytes.joined()).withUnsafeBufferPointer { memory in
      body(places.dropLast().map { memory.baseAddress?.advanced(by: $0) } + [nil])
    }
  }
}

/// Thrown when a connection cannot be opened.
enum PostgreSQLOpeningFailure: Error {
  /// A temporary failure: the server may be starting, or a standby may be taking over.
  case transient(String)
  case permanent(LedgerDatabaseError)
}
