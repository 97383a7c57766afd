/// The tables of migration 23: webhooks, and the messages that they send. Documentation/webhooks.md describes them.
extension LedgerSchema {
  static func webhooks(_ dialect: SQLDialect) -> [String] {
    [
      // `generation` to `number` are the cursor. `deliveries` is the number of the last message. A list is empty for all.
      """
      CREATE TABLE webhook (
        id TEXT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        url TEXT NOT NULL,
        apps TEXT NOT NULL,
        types TEXT NOT NULL,
        environments TEXT NOT NULL,
        secret TEXT NOT NULL,
        previous_secret TEXT,
        previous_until BIGINT,
        created BIGINT NOT NULL,
        changed BIGINT NOT NULL,
        disabled BIGINT,
        problem TEXT,
        deliveries BIGINT NOT NULL DEFAULT 0,
        generation TEXT NOT NULL,
        era BIGINT NOT NULL,
        writer BIGINT NOT NULL,
        number BIGINT NOT NULL
      )\(dialect.clustered)
      """,
      // `era`, `writer` and `event` are the place of the event; NULL for a test. `due` is NULL in a final state, and while an earlier
      // message of the same lane is not settled. A server that sends the message has moved it on, which is its lease.
      """
      CREATE TABLE webhook_delivery (
        webhook TEXT NOT NULL REFERENCES webhook (id),
        number BIGINT NOT NULL,
        message TEXT NOT NULL,
        type TEXT NOT NULL,
        app TEXT,
        lane TEXT NOT NULL,
        era BIGINT,
        writer BIGINT,
        event BIGINT,
        created BIGINT NOT NULL,
        state TEXT NOT NULL,
        due BIGINT,
        attempts BIGINT NOT NULL DEFAULT 0,
        settled BIGINT,
        status BIGINT,
        problem TEXT,
        PRIMARY KEY (webhook, number)
      )\(dialect.clustered)
      """,
      "CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook, due, number) WHERE due IS NOT NULL",
      // With `settled`, SQLite needs nothing of the table itself. Otherwise it would prefer the primary key, and read all messages of
      // the webhook.
      "CREATE INDEX webhook_delivery_lane ON webhook_delivery (webhook, lane, number, settled) WHERE settled IS NULL",
      "CREATE INDEX webhook_delivery_sending ON webhook_delivery (webhook, state, due) WHERE state = 'sending'",
      "CREATE INDEX webhook_delivery_state ON webhook_delivery (webhook, state, number)",
      "CREATE INDEX webhook_delivery_settled ON webhook_delivery (state, settled) WHERE settled IS NOT NULL",
    ]
  }
}
