import PurchaseLedger

/// What a session of the server has set that concerns a ledger.
struct ServerSettings {
  /// Asks for what ``init(_:)`` takes.
  static let question = """
    SELECT current_setting('synchronous_commit'), current_setting('synchronous_standby_names'), \
    current_setting('fsync'), current_setting('server_encoding')
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

  /// - Parameter answer: of ``question``.
  init(_ answer: [String]) {
    func part(_ place: Int) -> String { place < answer.count ? answer[place] : "" }
    self.init(
      synchronousCommit: part(0), synchronousStandbyNames: part(1), fsync: part(2), serverEncoding: part(3))
  }

  /// Why a ledger cannot be kept there, or nil.
  func flaw(in configuration: PostgreSQLConfiguration) -> LedgerDatabaseError? {
    switch synchronousCommit {
    case "on", "remote_apply", "remote_write": break
    // Durable on this machine, which is all there is where no standby is waited for.
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
