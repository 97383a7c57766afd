import GRDB
import StoreModel

extension StoreSchema {
  /// Adds the events, and fills them in for the records of earlier versions. Adds the revisions of transactions and
  /// subscriptions. Documentation/store-events.md describes both.
  static func registerEvents(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("17 events") { database in
      try database.create(table: "storeEvent") { table in
        table.autoIncrementedPrimaryKey("sequence")
        table.column("environment", .text).notNull()
        table.column("account", .text)
        table.column("bundleID", .text)
        table.column("kind", .text).notNull()
        table.column("version", .integer).notNull()
        table.column("transactionID", .text)
        table.column("originalTransactionID", .text)
        table.column("place", .integer)
        table.column("recordNumber", .integer)
        table.column("date", .integer).notNull()
        table.column("content", .text)
        table.column("audience", .text)
        table.column("isFilledIn", .boolean).notNull()
      }
      try database.create(table: "projection") { table in
        table.primaryKey("name", .text)
        table.column("eventCursor", .integer).notNull()
        table.column("start", .integer).notNull()
      }
      try fillEvents(in: database)
      // After the rows, because an index is built faster than it grows.
      try database.execute(
        sql: """
          CREATE INDEX storeEventOfCustomer ON storeEvent (account, environment, date / 1000, place, date, recordNumber)
          WHERE place IS NOT NULL
          """)
      try database.execute(
        sql: "CREATE INDEX storeEventOfTransaction ON storeEvent (transactionID) WHERE transactionID IS NOT NULL")
      try database.execute(sql: "INSERT INTO projection VALUES ('deviceFeed', 0, 0)")
      try Projection.restart(in: database)
    }
    migrator.registerMigration("18 revisions") { database in
      try database.alter(table: "store") { table in
        table.add(column: "nextRevision", .integer).notNull().defaults(to: 1)
      }
      try database.alter(table: "transactionRecord") { table in
        table.add(column: "revision", .integer).notNull().defaults(to: 0)
      }
      try database.alter(table: "subscription") { table in
        table.add(column: "revision", .integer).notNull().defaults(to: 0)
      }
      try numberRevisions(in: database)
      try database.execute(
        sql: """
          CREATE UNIQUE INDEX transactionRecordRevised
          ON transactionRecord (account, bundleID, environment, revision)
          """)
    }
  }

  /// Adds the numbers of finishes, and the order in which devices receive changes of transactions.
  static func registerFinishes(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("20 finishes") { database in
      try database.alter(table: "transactionRecord") { table in
        table.add(column: "finishRevision", .integer)
      }
      try database.execute(
        sql: """
          CREATE UNIQUE INDEX transactionRecordChanged
          ON transactionRecord (account, bundleID, environment, max(revision, coalesce(finishRevision, 0)))
          """)
    }
  }

  /// Gives transactions revisions in the order of their numbers, and then subscriptions in the order of their last
  /// transactions.
  private static func numberRevisions(in database: Database) throws {
    try database.execute(
      sql: """
        UPDATE transactionRecord SET revision = numbered.number
        FROM (SELECT sequence, row_number() OVER (ORDER BY sequence) AS number FROM transactionRecord) AS numbered
        WHERE numbered.sequence = transactionRecord.sequence
        """)
    try database.execute(
      sql: """
        UPDATE subscription SET revision = (SELECT count(*) FROM transactionRecord) + numbered.number
        FROM (
          SELECT originalTransactionID, row_number() OVER (ORDER BY sequence, originalTransactionID) AS number
          FROM (
            SELECT subscription.originalTransactionID, current.sequence FROM subscription
            LEFT JOIN transactionRecord AS current ON current.transactionID = subscription.currentTransactionID)
        ) AS numbered
        WHERE numbered.originalTransactionID = subscription.originalTransactionID
        """)
    try database.execute(
      sql: """
        UPDATE store SET nextRevision = 1
          + (SELECT count(*) FROM transactionRecord) + (SELECT count(*) FROM subscription)
        """)
  }

  /// Adds the events of all records, in the order of the timelines. Does not add what no record says.
  ///
  /// The kinds and places are literal: a migration stays as it is when ``StoreEventKind`` or ``TimelinePlace`` change.
  static func fillEvents(in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO storeEvent (environment, account, bundleID, kind, version, transactionID, originalTransactionID,
          place, recordNumber, date, content, isFilledIn)
        SELECT environment, account, bundleID, kind, 1, transactionID, originalTransactionID,
          place, iif(place IS NULL, NULL, number), date, content, TRUE
        FROM (\(recordedEvents)) ORDER BY date / 1000, coalesce(place, 5), date, number
        """)
  }

  private static let recordedEvents = """
    SELECT environment, account, bundleID, 'transaction.added' AS kind, transactionID, originalTransactionID,
      3 AS place, sequence AS number, purchaseDate AS date, NULL AS content
    FROM transactionRecord
    UNION ALL
    SELECT environment, account, bundleID, 'transaction.redelivered', record.transactionID, originalTransactionID,
      4, redelivery.sequence, redelivery.date, NULL
    FROM redelivery JOIN transactionRecord AS record ON record.transactionID = redelivery.recordID
    WHERE type <> 'Consumable'
    UNION ALL
    SELECT refund.environment, refund.account, refund.bundleID,
      CASE WHEN amount < 0 THEN 'transaction.refundReversed' WHEN isUpgraded AND upgradeDate = date
        THEN 'transaction.upgraded' ELSE 'transaction.refunded' END,
      transactionID, originalTransactionID, 6, refund.sequence, date,
      iif(amount > 0 AND revocationDate = date, \(revocation), NULL)
    FROM refund JOIN transactionRecord USING (transactionID)
    UNION ALL
    SELECT environment, account, bundleID, 'transaction.upgraded', transactionID, originalTransactionID,
      NULL, sequence, upgradeDate, NULL
    FROM transactionRecord AS record WHERE isUpgraded AND upgradeDate IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM refund WHERE refund.transactionID = record.transactionID AND date = upgradeDate AND amount > 0)
    UNION ALL
    SELECT environment, account, bundleID,
      iif(sharedTransactionID IS NULL, 'transaction.refunded', 'transaction.shareRevoked'),
      transactionID, originalTransactionID, 7, sequence, revocationDate, \(revocation)
    FROM transactionRecord AS record WHERE revocationDate IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM refund WHERE refund.transactionID = record.transactionID AND date = revocationDate AND amount > 0)
    UNION ALL
    SELECT environment, account, bundleID, 'subscription.' || step, NULL, originalTransactionID,
      iif(step IN ('subscribed', 'renewed'), NULL, 5),
      subscriptionStep.sequence, date, NULL
    FROM subscriptionStep JOIN subscription USING (originalTransactionID)
    UNION ALL
    \(payments("payment.refused", 0, "decisionDate")) AND refusal IS NOT NULL AND approvalDate IS NULL
    UNION ALL
    \(payments("payment.approvalAsked", 1, "decisionDate"))
      AND (refusal IS NULL OR approvalDate IS NOT NULL)
    UNION ALL
    \(payments("payment.approvalDecided", 2, "approvalDate")) AND approvalDate IS NOT NULL
    """

  private static let revocation = """
    json_object('percentage', revocationPercentage, 'revocationReason', revocationReason, 'revocationType', revocationType)
    """

  /// The payments that were refused, or that wait or waited for approval.
  private static func payments(_ kind: String, _ place: Int, _ date: String) -> String {
    """
    SELECT environment, payment.account, bundleID, '\(kind)', NULL, NULL, \(place), payment.rowid, \(date),
      json_object('installationID', installationID, 'paymentID', paymentID)
    FROM payment JOIN installation USING (installationID) WHERE (transactionID IS NULL OR approvalDate IS NOT NULL)
    """
  }
}
