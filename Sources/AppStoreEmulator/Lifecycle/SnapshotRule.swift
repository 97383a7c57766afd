import GRDB

/// A rule that compares columns and rows of a store with one another. Every commit of a store follows it.
struct SnapshotRule {
  /// The reason for refusing a snapshot that breaks the rule.
  let reason: String
  /// A `SELECT` that has a row if the rule is broken. It finds other rows by their keys, so it takes time in proportion
  /// to the rows.
  let violation: String

  init(_ reason: String, _ violation: String) { (self.reason, self.violation) = (reason, violation) }

  func isBroken(in database: Database) throws -> Bool {
    try Bool.fetchOne(database, sql: "SELECT EXISTS (\(violation))") == true
  }

  static let all =
    references + customers + payments + transactions + money + deliveries + subscriptions + revisions + events
    + eventsOfRecords + serverAPI

  /// Columns with the key of another table's row, for which SQLite has no foreign key. A product can be missing: a later catalog may
  /// not have it.
  private static let references = [
    ("transactionRecord", "bundleID", "the app of a transaction"), ("offerNonce", "bundleID", "the app of an offer"),
    ("massExtension", "bundleID", "the app of an extension"), ("apiKey", "issuerID", "the issuer of a key"),
  ].map { table, column, what in
    SnapshotRule("\(what) is missing", "SELECT 1 FROM \(table) WHERE \(column) NOT IN (SELECT \(column) FROM app)")
  }

  private static let customers = [
    SnapshotRule("two customers have one number", "SELECT 1 FROM customer GROUP BY number HAVING count(*) > 1"),
    SnapshotRule(
      "the customer of an installation is missing",
      """
      SELECT 1 FROM installation WHERE account IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM customer WHERE environment = installation.environment AND name = installation.account)
      """),
  ]

  private static let payments = [
    SnapshotRule(
      "the customer of a payment is missing",
      """
      SELECT 1 FROM payment JOIN installation USING (installationID) WHERE NOT EXISTS (
        SELECT 1 FROM customer WHERE environment = installation.environment AND name = payment.account)
      """),
    // Its approval would charge it again.
    SnapshotRule(
      "a payment that was charged has no transaction",
      """
      SELECT 1 FROM transactionRecord AS record WHERE paymentID IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM payment WHERE payment.installationID = record.installationID
          AND payment.paymentID = record.paymentID AND payment.transactionID = record.transactionID)
      """),
    SnapshotRule(
      "the transaction of a payment is missing, or another customer's",
      """
      SELECT 1 FROM payment JOIN installation USING (installationID)
      LEFT JOIN redelivery ON redelivery.transactionID = payment.transactionID
      LEFT JOIN transactionRecord AS record
        ON record.transactionID = coalesce(redelivery.recordID, payment.transactionID)
      WHERE payment.transactionID IS NOT NULL AND (record.account IS NOT payment.account
        OR record.bundleID IS NOT installation.bundleID OR record.environment IS NOT installation.environment
        OR redelivery.transactionID IS NOT NULL AND (
          redelivery.installationID IS NOT payment.installationID OR redelivery.paymentID IS NOT payment.paymentID))
      """),
    SnapshotRule(
      "two payments have one transaction",
      "SELECT 1 FROM payment WHERE transactionID IS NOT NULL GROUP BY transactionID HAVING count(*) > 1"),
    SnapshotRule(
      "a payment has dates of another state",
      """
      SELECT 1 FROM payment WHERE
        approvalDeadline IS NOT NULL AND (transactionID IS NOT NULL OR refusal IS NOT NULL
          OR approvalDeadline <> decisionDate + \(PaymentRow.approvalPeriod * 1000))
        OR approvalDate IS NOT NULL AND (transactionID IS NULL AND refusal IS NULL OR approvalDate < decisionDate)
      """),
    SnapshotRule(
      "an interrupted purchase belongs to no refused payment",
      """
      SELECT 1 FROM interruptedPurchase LEFT JOIN payment USING (installationID, paymentID)
      WHERE json_extract(payment.refusal, '$.code') IS NOT 'purchaseInterrupted'
      """),
  ]

  private static let transactions = [
    SnapshotRule(
      "the customer of a transaction is missing",
      """
      SELECT 1 FROM transactionRecord AS record WHERE NOT EXISTS (
        SELECT 1 FROM customer WHERE environment = record.environment AND name = record.account)
      """),
    SnapshotRule(
      "the id of a transaction does not contain its number",
      """
      SELECT 1 FROM (
        SELECT transactionID, sequence FROM transactionRecord UNION ALL SELECT transactionID, sequence FROM redelivery)
      WHERE length(transactionID) <> 19 OR substr(transactionID, 11) IS NOT printf('%09d', sequence)
      """),
    SnapshotRule(
      "the original transaction of a transaction is missing, or another customer's",
      """
      SELECT 1 FROM transactionRecord AS record
      LEFT JOIN transactionRecord AS original ON original.transactionID = record.originalTransactionID
      WHERE original.originalTransactionID IS NOT original.transactionID OR original.account IS NOT record.account
        OR original.bundleID IS NOT record.bundleID OR original.environment IS NOT record.environment
        OR original.subscriptionGroupID IS NOT record.subscriptionGroupID
        OR original.purchaseDate IS NOT record.originalPurchaseDate OR original.sequence > record.sequence
      """),
    SnapshotRule(
      "a transaction is on an installation of another app",
      """
      SELECT 1 FROM transactionRecord AS record LEFT JOIN installation USING (installationID)
      WHERE record.installationID IS NOT NULL
        AND (installation.bundleID IS NOT record.bundleID OR installation.environment IS NOT record.environment)
      """),
    SnapshotRule(
      "a subscription period has no group, end or order id, or another purchase has one",
      """
      SELECT 1 FROM transactionRecord WHERE
        (type = 'Auto-Renewable Subscription') <> (subscriptionGroupID IS NOT NULL)
        OR (subscriptionGroupID IS NULL) <> (expiresDate IS NULL)
        OR (subscriptionGroupID IS NULL) <> (webOrderLineItemID IS NULL)
        OR expiresDate < purchaseDate
        OR reason = 'RENEWAL' AND (subscriptionGroupID IS NULL OR transactionID = originalTransactionID)
      """),
    SnapshotRule(
      "a revocation or an upgrade lacks a value, or has one of another kind",
      """
      SELECT 1 FROM transactionRecord WHERE
        (revocationDate IS NULL) <> (revocationReason IS NULL) OR (revocationDate IS NULL) <> (revocationType IS NULL)
        OR revocationType NOT IN ('REFUND_FULL', 'REFUND_PRORATED', 'FAMILY_REVOKE')
        OR (revocationPercentage IS NOT NULL) <> (coalesce(revocationType, '') LIKE 'REFUND%')
        OR (revocationType = 'REFUND_FULL') <> (revocationPercentage = 100000)
        OR (revocationType = 'FAMILY_REVOKE') <> (sharedTransactionID IS NOT NULL)
        OR isUpgraded <> (upgradeDate IS NOT NULL)
      """),
    SnapshotRule(
      "an offer lacks a value, or belongs to no subscription",
      """
      SELECT 1 FROM transactionRecord WHERE
        (offerType IS NULL) <> (offerDiscountType IS NULL) OR (offerType IS NULL) <> (offerPeriod IS NULL)
        OR (offerIdentifier IS NULL) <> (coalesce(offerType, 1) = 1)
        OR offerType IS NOT NULL AND subscriptionGroupID IS NULL
      """),
    SnapshotRule(
      "a transaction has values that this store never gives",
      """
      SELECT 1 FROM transactionRecord WHERE billingPlanType IS NOT NULL OR commitment IS NOT NULL
        OR previousOriginalTransactionID IS NOT NULL OR revokedSeatQuantity IS NOT NULL
        OR invitationManagement IS NOT NULL OR advancedCommerceInfo IS NOT NULL
      """),
    SnapshotRule(
      "a family share does not fit the purchase that it shares",
      """
      SELECT 1 FROM transactionRecord AS record
      LEFT JOIN transactionRecord AS purchase ON purchase.transactionID = record.sharedTransactionID
      WHERE record.ownership IS NOT iif(record.sharedTransactionID IS NULL, 'PURCHASED', 'FAMILY_SHARED')
        OR record.sharedTransactionID IS NOT NULL AND (
          purchase.sharedTransactionID IS NOT NULL OR purchase.account IS record.account
          OR purchase.bundleID IS NOT record.bundleID OR purchase.environment IS NOT record.environment
          OR purchase.productID IS NOT record.productID OR purchase.type IS NOT record.type
          OR record.price <> 0 OR record.quantity <> 1)
      """),
  ]

  private static let money = [
    SnapshotRule(
      "a paid transaction and its charge differ",
      """
      SELECT 1 FROM transactionRecord AS record LEFT JOIN charge USING (transactionID)
      WHERE (record.price = 0) <> (charge.transactionID IS NULL) OR charge.transactionID IS NOT NULL AND (
        charge.environment <> record.environment OR charge.account <> record.account
        OR charge.bundleID <> record.bundleID OR charge.productID <> record.productID
        OR charge.amount <> record.price OR charge.currency <> record.currency OR charge.date <> record.purchaseDate)
      """),
    SnapshotRule(
      "the transaction of a charge is missing",
      "SELECT 1 FROM charge WHERE transactionID NOT IN (SELECT transactionID FROM transactionRecord)"),
    SnapshotRule(
      "a refund does not fit its transaction",
      """
      SELECT 1 FROM refund LEFT JOIN transactionRecord AS record USING (transactionID)
      WHERE record.environment IS NOT refund.environment OR record.account IS NOT refund.account
        OR record.bundleID IS NOT refund.bundleID OR record.productID IS NOT refund.productID
        OR record.currency IS NOT refund.currency OR refund.amount = 0 OR refund.date < record.purchaseDate
      """),
    SnapshotRule(
      "the refunds of a transaction are negative, or more than its price",
      """
      SELECT 1 FROM refund JOIN transactionRecord AS record USING (transactionID)
      GROUP BY transactionID HAVING sum(refund.amount) NOT BETWEEN 0 AND max(record.price)
      """),
  ]

  private static let deliveries = [
    SnapshotRule(
      "a redelivery is on an installation of another app",
      """
      SELECT 1 FROM redelivery LEFT JOIN installation USING (installationID)
      LEFT JOIN transactionRecord AS record ON record.transactionID = redelivery.recordID
      WHERE installation.bundleID IS NOT record.bundleID OR installation.environment IS NOT record.environment
        OR redelivery.date < record.purchaseDate
      """),
    SnapshotRule(
      "the payment of a redelivery has another transaction",
      """
      SELECT 1 FROM redelivery LEFT JOIN payment USING (installationID, paymentID)
      WHERE redelivery.paymentID IS NOT NULL AND payment.transactionID IS NOT redelivery.transactionID
      """),
    SnapshotRule(
      "a transaction and a redelivery have one number",
      "SELECT 1 FROM redelivery JOIN transactionRecord USING (sequence)"),
    SnapshotRule(
      "the purchase of an operator has the transaction of another customer",
      """
      SELECT 1 FROM orderedPurchase LEFT JOIN transactionRecord AS record USING (transactionID)
      WHERE record.account IS NOT json_extract(request, '$.account')
        OR record.bundleID IS NOT json_extract(request, '$.bundleID')
        OR record.environment IS NOT json_extract(request, '$.environment')
      """),
  ]

  private static let subscriptions = [
    SnapshotRule(
      "a subscription does not fit its transactions",
      """
      SELECT 1 FROM subscription
      LEFT JOIN transactionRecord AS original ON original.transactionID = subscription.originalTransactionID
      LEFT JOIN transactionRecord AS current ON current.transactionID = subscription.currentTransactionID
      WHERE original.account IS NOT subscription.account OR original.bundleID IS NOT subscription.bundleID
        OR original.environment IS NOT subscription.environment OR original.sharedTransactionID IS NOT NULL
        OR original.subscriptionGroupID IS NOT subscription.groupID
        OR current.originalTransactionID IS NOT original.transactionID
        OR current.productID IS NOT json_extract(subscription.state, '$.productID')
      """)
  ]

  private static let revisions = [
    // All take their numbers from one counter.
    SnapshotRule(
      "two changes have one number",
      """
      SELECT 1 FROM (
        SELECT revision AS number FROM transactionRecord UNION ALL SELECT revision FROM subscription
        UNION ALL SELECT finishRevision FROM transactionRecord WHERE finishRevision IS NOT NULL)
      GROUP BY number HAVING count(*) > 1
      """)
  ]

  private static let serverAPI = [
    SnapshotRule(
      "a family member asks for a refund, or two requests for one refund wait",
      """
      SELECT 1 FROM refundRequest JOIN transactionRecord USING (transactionID)
      WHERE sharedTransactionID IS NOT NULL
      UNION ALL
      SELECT 1 FROM refundRequest WHERE outcome IS NULL GROUP BY transactionID HAVING count(*) > 1
      """),
    // A refund, whole or prorated, decides the request.
    SnapshotRule(
      "a request for a refund waits, although its transaction was refunded",
      """
      SELECT 1 FROM refundRequest JOIN transactionRecord USING (transactionID)
      WHERE outcome IS NULL AND revocationDate IS NOT NULL
      """),
    SnapshotRule(
      "consumption information is about a family share",
      """
      SELECT 1 FROM consumptionInformation JOIN transactionRecord USING (transactionID)
      WHERE sharedTransactionID IS NOT NULL
      """),
  ]

  private static let events = [
    SnapshotRule(
      "the transaction of an event is missing, or another customer's",
      """
      SELECT 1 FROM storeEvent AS event
      LEFT JOIN transactionRecord AS record
        ON record.transactionID = coalesce(event.transactionID, event.originalTransactionID)
      WHERE \(StoreEventKind.isOfTransactionSQL) AND (
        record.account IS NOT event.account OR record.bundleID IS NOT event.bundleID
        OR record.environment IS NOT event.environment
        OR record.originalTransactionID IS NOT event.originalTransactionID)
      """),
    SnapshotRule(
      "the app of an event is missing",
      """
      SELECT 1 FROM storeEvent WHERE \(StoreEventKind.isKnownSQL) AND bundleID NOT IN (SELECT bundleID FROM app)
      """),
    SnapshotRule(
      "the record of an event is missing, or is not what the event says",
      """
      SELECT 1 FROM storeEvent AS event WHERE place IS NOT NULL AND \(StoreEventKind.isKnownSQL) AND NOT CASE place
        WHEN \(TimelinePlace.transaction.rawValue) THEN EXISTS (
          SELECT 1 FROM transactionRecord AS record
          WHERE record.sequence = recordNumber AND record.transactionID = event.transactionID
            AND record.purchaseDate = event.date)
        WHEN \(TimelinePlace.revocation.rawValue) THEN EXISTS (
          SELECT 1 FROM transactionRecord AS record
          WHERE record.sequence = recordNumber AND record.transactionID = event.transactionID)
        WHEN \(TimelinePlace.redelivery.rawValue) THEN EXISTS (
          SELECT 1 FROM redelivery
          WHERE redelivery.sequence = recordNumber AND recordID = event.transactionID AND redelivery.date = event.date)
        WHEN \(TimelinePlace.refund.rawValue) THEN EXISTS (
          SELECT 1 FROM refund
          WHERE refund.sequence = recordNumber AND refund.transactionID = event.transactionID
            AND refund.date = event.date)
        WHEN \(TimelinePlace.subscription.rawValue) THEN EXISTS (
          SELECT 1 FROM subscriptionStep AS step
          WHERE step.sequence = recordNumber AND step.originalTransactionID = event.originalTransactionID
            AND event.kind = 'subscription.' || step.step AND step.date = event.date)
        ELSE EXISTS (
          SELECT 1 FROM payment JOIN installation USING (installationID)
          WHERE installationID = json_extract(content, '$.installationID')
            AND paymentID = json_extract(content, '$.paymentID') AND payment.account = event.account
            AND installation.bundleID = event.bundleID AND installation.environment = event.environment)
        END
      """),
  ]

  /// Events are never removed alone. Between events of earlier epochs and versions, numbers can be missing.
  private static let eventsOfRecords =
    [
      SnapshotRule(
        "an event is missing between others",
        """
        SELECT 1 FROM (
          SELECT count(*) AS number, min(sequence) AS first, max(sequence) AS last FROM storeEvent WHERE NOT isFilledIn)
        WHERE number <> last - first + 1
        """)
    ]
    + [
      ("transactionRecord", TimelinePlace.transaction, "TRUE"), ("refund", .refund, "TRUE"),
      // A purchase and a renewal are shown by their transactions.
      ("subscriptionStep", .subscription, "step NOT IN ('subscribed', 'renewed')"),
    ].map { table, place, isShown in
      SnapshotRule(
        "a row of \(table) has no event",
        """
        SELECT 1 FROM \(table) WHERE \(isShown)
          AND sequence NOT IN (SELECT recordNumber FROM storeEvent WHERE place = \(place.rawValue))
        """)
    }
}
