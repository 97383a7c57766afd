/// The tables of migration 13: what this server has received from the App Store, and how far it has read the store's histories.
/// Documentation/app-store-updates.md describes them.
extension LedgerSchema {
  static func notifications(_ dialect: SQLDialect) -> [String] {
    [
      """
      CREATE TABLE notification (
        app TEXT NOT NULL,
        uuid TEXT NOT NULL,
        environment TEXT,
        type TEXT NOT NULL,
        subtype TEXT,
        original TEXT,
        signed BIGINT NOT NULL,
        received BIGINT NOT NULL,
        source TEXT NOT NULL,
        state TEXT NOT NULL,
        problem TEXT,
        payload TEXT,
        PRIMARY KEY (app, uuid)
      )\(dialect.clustered)
      """,
      "CREATE INDEX notification_received ON notification (app, received, uuid)",
      "CREATE INDEX notification_type ON notification (app, type, received, uuid)",
      "CREATE INDEX notification_set_aside ON notification (app, received, uuid) WHERE state = 'setAside'",
      """
      CREATE TABLE store_cursor (
        app TEXT NOT NULL,
        environment TEXT NOT NULL,
        source TEXT NOT NULL,
        position BIGINT NOT NULL,
        holder TEXT,
        until BIGINT NOT NULL,
        PRIMARY KEY (app, environment, source)
      )\(dialect.clustered)
      """,
    ]
  }
}
