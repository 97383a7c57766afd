extension PostgreSQLConfiguration {
  /// The settings for `PQconnectdbParams`. libpq replaces `dbname` by the settings in the connection string. A later
  /// setting overrides an earlier one of the same name.
  var libpqSettings: [(name: String, value: String)] {
    [
      ("fallback_application_name", "openstorekit"),
      // If there are several hosts, the one that accepts writes is used.
      ("target_session_attrs", "read-write"),
      // If the server's machine disappears without closing the connection, this is detected within a minute.
      ("keepalives_idle", "20"),
      ("keepalives_interval", "5"),
      ("keepalives_count", "4"),
      ("tcp_user_timeout", "40000"),
      ("dbname", connectionString),
      ("connect_timeout", "\(connectTimeoutSeconds)"),
      ("client_encoding", "UTF8"),
    ]
  }

  /// The statements that are sent, in one message, when a connection is opened. The last one reads the server's
  /// settings, and pins `synchronous_commit`.
  var sessionStatements: String {
    """
    SET standard_conforming_strings = on; SET TIME ZONE 'UTC'; \
    SET statement_timeout = \(statementTimeoutMilliseconds); \
    SET idle_in_transaction_session_timeout = \(statementTimeoutMilliseconds); \
    \(ServerSettings.query)
    """
  }
}
