import PurchaseLedger

/// An error of a statement or a connection.
struct PostgreSQLFailure: Error, Hashable {
  enum Kind: Hashable {
    /// The connection was lost or cannot be used any more. A new connection may work.
    case connectionLost
    /// The transaction is committed, but the server stopped waiting for its standbys.
    case notReplicated
    /// The transaction conflicted with another one. It may succeed if it is repeated.
    case conflict
    /// The server has no resources left, or other transactions held the locks for too long.
    case overloaded
    /// Another transaction holds a lock for which this one does not wait, or not any longer.
    case locksTaken
    /// The server's disk is full, or fails.
    case full
    /// A table or a schema is missing, or the user has no right to it.
    case notUsable
    /// A value in the result has a type that no ledger uses.
    case unexpectedRow
    /// Any other error.
    case refused
  }

  let kind: Kind
  let reason: String
  /// The SQLSTATE, if the server sent one (PostgreSQL's documentation, "PostgreSQL Error Codes").
  let state: String?

  init(kind: Kind, reason: String, state: String? = nil) {
    self.kind = kind
    self.reason = reason
    self.state = state
  }

  /// Converts the server's error.
  init(state: String, reason: String) {
    self.init(kind: Self.kind(state), reason: reason, state: state)
  }

  private static func kind(_ state: String) -> Kind {
    switch state {
    case "40001", "40P01": .conflict
    case "55P03": .locksTaken
    // The server is shutting down, or it has ended the connection. A server that became read-only may be a former primary;
    // a new connection finds the new one.
    case "57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25006": .connectionLost
    // No memory or other resources, too many connections; a statement that took too long, or was cancelled by an operator.
    case "53000", "53200", "53300", "53400", "57014": .overloaded
    // The disk is full; an error of the operating system, such as an input or output error.
    case "53100", "58000", "58030": .full
    // No such table, no such schema, no privilege. The ledger's own statements name existing tables, so the schema, the
    // `search_path` or the rights were changed from outside.
    case "42P01", "3F000", "42501": .notUsable
    default: state.hasPrefix("08") ? .connectionLost : .refused
    }
  }

  /// The failure to report if it occurred while a transaction waited for its locks. If the operator's configuration limits
  /// the wait, the failure becomes `overloaded`, because other transactions hold the locks.
  var whileLocking: PostgreSQLFailure {
    state == "55P03" ? counted(as: .overloaded) : self
  }

  /// The failure to report if a prepared statement fails that has succeeded before. After a change of the schema, the
  /// statement may not exist any more, or may have other columns. Both errors become `connectionLost`, because a new
  /// connection prepares the statement again.
  var ofPreparedStatement: PostgreSQLFailure {
    state == "26000" || state == "0A000" ? counted(as: .connectionLost) : self
  }

  private func counted(as kind: Kind) -> PostgreSQLFailure {
    PostgreSQLFailure(kind: kind, reason: reason, state: state)
  }

  var error: LedgerDatabaseError {
    let text = state.map { "\(reason) (SQLSTATE \($0))" } ?? reason
    return switch kind {
    case .connectionLost: .unavailable(reason: text)
    case .notReplicated: .unavailable(reason: "no standby has confirmed the commit: \(text)")
    case .conflict, .overloaded, .locksTaken: .overloaded
    case .full: .full(reason: text)
    case .notUsable: .notUsable(reason: text)
    case .unexpectedRow: .unexpectedRow(reason)
    case .refused: .failed(reason: text)
    }
  }

  /// The error to throw if ``isTransient`` is true. If an operator cancelled a commit's wait for the standbys, the
  /// transaction is repeated only once, because `statement_timeout` does not limit the next wait.
  var transientFailure: TransientFailure {
    TransientFailure(error: error, mostAttempts: kind == .notReplicated ? 2 : .max)
  }

  /// Whether the failure is temporary, so that the transaction may be repeated.
  var isTransient: Bool { [.connectionLost, .notReplicated, .conflict].contains(kind) }
}
