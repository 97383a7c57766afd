import Foundation

extension PostgreSQLConfiguration {
  /// The number of hosts in the connection string or, if it has none, in libpq's environment variables. At least 1.
  public var hostCount: Int { hostCount(ProcessInfo.processInfo.environment) }

  func hostCount(_ environment: [String: String]) -> Int {
    let parts = ConnectionString.parts(of: connectionString) ?? []
    func setting(_ name: String, _ variable: String) -> String? {
      parts.first { $0.name == name }?.value ?? environment[variable]
    }
    return [setting("host", "PGHOST"), setting("hostaddr", "PGHOSTADDR")].reduce(1) { count, hosts in
      max(count, (hosts ?? "").split(separator: ",", omittingEmptySubsequences: false).count)
    }
  }

  /// Advice for the operator of several hosts, in a few sentences; nil if there is only one host.
  ///
  /// ``PostgreSQLLedgerDatabase/failoverWarning()`` checks the server's setting.
  public var failoverAdvice: String? {
    guard hostCount > 1 else { return nil }
    return
      "The ledger's connection string names \(hostCount) hosts. The one that takes over after a failure has only what had "
      + "reached it: without synchronous standbys, purchases and spends that were answered can be gone then. Set "
      + "synchronous_standby_names on the servers, and leave synchronous_commit on."
  }

  /// Returns ``failoverAdvice`` with the name of the empty setting, if there are several hosts but no synchronous
  /// standbys; otherwise nil.
  ///
  /// - Parameter synchronousStandbyNames: the server's setting `synchronous_standby_names`.
  func failoverWarning(synchronousStandbyNames: String) -> String? {
    guard synchronousStandbyNames.allSatisfy(\.isWhitespace) else { return nil }
    return failoverAdvice.map { "\($0) Here, synchronous_standby_names is empty." }
  }
}
