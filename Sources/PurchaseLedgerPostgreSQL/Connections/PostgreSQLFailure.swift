import PurchaseLedger

/// What went wrong with a statement or a connection.
struct PostgreSQLFailure: Error, Hashable {
  enum Kind: Hashable {
    /// The connection is gone, or of no use any more. Another one may do.
    case connectionLost
    /// It is committed, but the server stopped waiting for its standbys.
    case notReplicated
    /// The transaction got in the way of another one. It may go through when it is done again.
    case conflict
    /// The server has no room for it, or others held for too long what it waited for.
    case overloaded
    /// An answer that has no place among a ledger's values.
    case unexpectedRow
    case refused
  }

  let kind: Kind
  let reason: String
  /// The SQLSTATE, if the server gave one (PostgreSQL's documentation, "PostgreSQL Error Codes").
  let state: String?

  init(kind: Kind, reason: String, state: String? = nil) {
    self.kind = kind
    self.reason = reason
    self.state = state
  }

  /// What the server said.
  init(state: String, reason: String) {
    self.init(kind: Self.kind(state), reason: reason, state: state)
  }

  private static func kind(_ state: String) -> Kind {
    switch state {
    case "40001", "40P01": .conflict
    // The server stops, or has ended the connection by itself.
    case "57P01", "57P02", "57P03", "57P05", "25P03": .connectionLost
    case "53200", "53300": .overloaded
    default: state.hasPrefix("08") ? .connectionLost : .refused
    }
  }

  /// The same, if the transaction was waiting for its locks: where time ran out, others have them.
  var whileLocking: PostgreSQLFailure {
    state == "57014" || state == "55P03" ? counted(as: .overloaded) : self
  }

  /// The same, if the statement was good before on this connection: what was prepared is gone, or gives other columns
  /// since the schema was changed. On a new connection it is prepared anew.
  var ofPreparedStatement: PostgreSQLFailure {
    state == "26000" || state == "0A000" ? counted(as: .connectionLost) : self
  }

  private func counted(as kind: Kind) -> PostgreSQLFailure {
    PostgreSQLFailure(kind: kind, reason: reason, state: state)
  }

  var error: LedgerDatabaseError {
    let words = state.map { "\(reason) (SQLSTATE \($0))" } ?? reason
    return switch kind {
    case .connectionLost: .unavailable(reason: words)
    case .notReplicated: .unavailable(reason: "no standby has confirmed the commit: \(words)")
    case .conflict, .overloaded: .overloaded
    case .unexpectedRow: .unexpectedRow(reason)
    case .refused: .failed(reason: words)
    }
  }

  /// To be thrown where the failure ``passes``. A commit that no standby confirms has waited for `statement_timeout` already:
  /// it is tried once more, so that a caller does not wait for many times that.
  var passing: PassingFailure { PassingFailure(error: error, mostAttempts: kind == .notReplicated ? 2 : .max) }

  /// Whether the transaction is worth another attempt.
  var passes: Bool { [.connectionLost, .notReplicated, .conflict].contains(kind) }
}
