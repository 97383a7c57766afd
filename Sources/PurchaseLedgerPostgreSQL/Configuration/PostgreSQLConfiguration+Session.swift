extension PostgreSQLConfiguration {
  /// For `PQconnectdbParams`, which lets what comes later win. The connection string stands for what it says.
  var libpqSettings: [(name: String, value: String)] {
    [
      ("fallback_application_name", "openstorekit"),
      // Of several hosts, the one that takes writes.
      ("target_session_attrs", "read-write"),
      // A server whose machine has gone away without a word is noticed within a minute.
      ("keepalives_idle", "20"),
      ("keepalives_interval", "5"),
      ("keepalives_count", "4"),
      ("tcp_user_timeout", "40000"),
      ("dbname", connectionString),
      ("connect_timeout", "\(connectTimeoutSeconds)"),
      ("client_encoding", "UTF8"),
    ]
  }

  /// What is set at the beginning of each connection, and asked for: one message.
  var sessionStatements: String {
    """
    SET standard_conforming_strings = on; SET TIME ZONE 'UTC'; \
    SET statement_timeout = \(statementTimeoutMilliseconds); \
    SET idle_in_transaction_session_timeout = \(statementTimeoutMilliseconds); \
    \(ServerSettings.question)
    """
  }
}
