extension PostgreSQLConfiguration {
  /// The settings for `PQconnectdbParams`. Later ones override earlier ones; `dbname` is expanded to the connection string's
  /// settings.
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

  /// The statements at the beginning of each connection, in one message. The last one reads the server's settings.
  var sessionStatements: String {
    """
    SET standard_conforming_strings = on; SET TIME ZONE 'UTC'; \
    SET statement_timeout = \(statementTimeoutMilliseconds); \
    SET idle_in_transaction_session_timeout = \(statementTimeoutMilliseconds); \
    \(ServerSettings.query)
    """
  }
}
