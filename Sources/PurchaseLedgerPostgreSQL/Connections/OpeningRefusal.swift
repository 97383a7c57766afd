import CPQ
import PurchaseLedger

/// A final refusal of a new connection: the database server would refuse each further attempt, too.
struct OpeningRefusal {
  private let state: String
  private let reason: String

  /// Returns nil if the server did not refuse the connection, or if the refusal may be temporary.
  ///
  /// libpq does not return the SQLSTATE of a failed connection. So if the server has answered, this opens the
  /// connection once more, with verbose error messages, which contain the SQLSTATE. If this attempt succeeds,
  /// `PQstatus` is `CONNECTION_OK`.
  ///
  /// - Parameter handle: a connection that could not be opened.
  init?(askingAgain handle: OpaquePointer) {
    reason = PostgreSQLConnection.errorMessage(of: handle)
    guard Self.isServerMessage(String(cString: PQerrorMessage(handle))) else { return nil }
    let verbosity = PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
    defer { PQsetErrorVerbosity(handle, verbosity) }
    PQreset(handle)
    guard PQstatus(handle) != CONNECTION_OK, let state = Self.state(in: String(cString: PQerrorMessage(handle))),
      Self.advice[state] != nil
    else { return nil }
    self.state = state
  }

  var error: LedgerDatabaseError {
    .unavailable(reason: "\(reason) (SQLSTATE \(state)). \(Self.advice[state] ?? "")")
  }

  /// What to do about each SQLSTATE (PostgreSQL's documentation, "PostgreSQL Error Codes").
  private static let advice = [
    "28P01": "Correct the password in the connection string, PGPASSWORD or libpq's password file.",
    "28000": "Correct the user in the connection string, or let the user in: see pg_hba.conf.",
    "3D000": "Create the database, or correct its name in the connection string.",
  ]

  /// Whether the message is the server's. libpq writes two spaces after the server's severity, in every language, and one space
  /// in its own messages.
  private static func isServerMessage(_ message: String) -> Bool { message.contains(":  ") }

  /// Returns the last SQLSTATE in a verbose message, which belongs to the host that was tried last.
  private static func state(in message: String) -> String? {
    message.matches(of: #/:  ([0-9A-Z]{5}): /#).last.map { String($0.1) }
  }
}
