import PurchaseLedger

/// The settings of a server session on which the safety of a ledger depends.
struct ServerSettings {
  /// The query for the settings, in the order of ``init(_:)``. It also pins `synchronous_commit` for the session: if an operator
  /// changes the configuration of the server to `off`, the commits of this session stay durable.
  ///
  /// The value of the opening is pinned, so `remote_apply` and `remote_write` stay what the operator chose. `local` becomes `on`:
  /// without synchronous standbys they are the same, and when there are some, commits must wait for them.
  static let query = """
    WITH opened AS MATERIALIZED (SELECT current_setting('synchronous_commit') AS value) \
    SELECT value, current_setting('synchronous_standby_names'), current_setting('fsync'), \
    current_setting('server_encoding'), \
    set_config('synchronous_commit', CASE value WHEN 'local' THEN 'on' ELSE value END, false) FROM opened
    """

  let synchronousCommit: String
  let synchronousStandbyNames: String
  let fsync: String
  let serverEncoding: String

  init(synchronousCommit: String, synchronousStandbyNames: String, fsync: String, serverEncoding: String) {
    self.synchronousCommit = synchronousCommit
    self.synchronousStandbyNames = synchronousStandbyNames
    self.fsync = fsync
    self.serverEncoding = serverEncoding
  }

  /// - Parameter answer: the first row of the answer to ``query``.
  init(_ answer: [String]) {
    func part(_ place: Int) -> String { place < answer.count ? answer[place] : "" }
    self.init(
      synchronousCommit: part(0), synchronousStandbyNames: part(1), fsync: part(2), serverEncoding: part(3))
  }

  /// Returns the reason why a ledger must not use this server; nil if it may use it.
  func flaw(in configuration: PostgreSQLConfiguration) -> LedgerDatabaseError? {
    switch synchronousCommit {
    case "on", "remote_apply", "remote_write": break
    // With `local`, a commit is durable on the PostgreSQL server, but not on its standbys. That suffices if there are
    // no synchronous standbys.
    case "local" where synchronousStandbyNames.isEmpty: break
    default:
      return .notDurable(setting: "synchronous_commit is \(synchronousCommit). Set it to on for the ledger's user.")
    }
    guard fsync == "on" || configuration.acceptsServerWithoutFsync else {
      return .notDurable(setting: "fsync is \(fsync). Set it to on in postgresql.conf.")
    }
    guard serverEncoding == "UTF8" else {
      return .failed(reason: "the database's encoding is \(serverEncoding). Create it with ENCODING 'UTF8'.")
    }
    return nil
  }
}
