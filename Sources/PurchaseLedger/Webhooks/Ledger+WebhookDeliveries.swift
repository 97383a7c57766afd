import StoreModel

extension Ledger {
  /// Returns a page of the messages of a webhook, the newest first.
  ///
  /// - Parameters:
  ///   - state: only messages in this state; nil for all.
  ///   - after: ``LedgerPage/next`` of the previous page; nil for the first page.
  ///   - limit: 1 to 1,000.
  /// - Throws: ``LedgerError``: `unknownWebhook`, `invalid`.
  public func webhookDeliveries(
    of webhook: String, state: WebhookDelivery.State? = nil, after: [String]? = nil, limit: Int
  ) async throws -> LedgerPage<WebhookDelivery> {
    try LedgerPage<WebhookDelivery>.check(limit: limit)
    let first = try LedgerPage<WebhookDelivery>.parts(of: after, count: 1)?.first
    guard let before = first == nil ? Int64.max : first.flatMap({ Int64($0) }) else {
      throw LedgerError.invalid("A page begins after `next` of the page before.")
    }
    let now = clock.now
    let found = try await database.read { transaction in
      _ = try transaction.webhook(webhook, now)
      let end = try transaction.eventEnd()
      return try transaction.rows(
        """
        SELECT \(WebhookDelivery.columns) FROM webhook_delivery
        WHERE webhook = $1 AND number < $2 \(state.map { "AND state = '\($0.rawValue)'" } ?? "")
        ORDER BY number DESC LIMIT $3
        """, webhook, before, limit + 1
      ).map { try WebhookDelivery($0, end) }
    }
    let page = Array(found.prefix(limit))
    return LedgerPage(elements: page, next: found.count > limit ? page.last.map { ["\($0.number)"] } : nil)
  }

  /// Returns the numbers of a webhook's messages that are not delivered, each counted up to `most`.
  ///
  /// - Throws: ``LedgerError/unknownWebhook(_:)``.
  public func undelivered(
    of webhook: String, most: Int = 1_000
  ) async throws -> [WebhookDelivery.State: Int64] {
    let now = clock.now
    return try await database.read { transaction in
      _ = try transaction.webhook(webhook, now)
      var counts: [WebhookDelivery.State: Int64] = [:]
      for state in [WebhookDelivery.State.waiting, .sending, .dead] {
        counts[state] = try transaction.row(
          """
          SELECT COUNT(*) AS count FROM (
            SELECT number FROM webhook_delivery WHERE webhook = $1 AND state = $2 LIMIT $3) AS found
          """, webhook, state, most
        )?.integer("count")
      }
      return counts
    }
  }

  /// Sends a delivered or dead message again, with new attempts and the same `webhook-id`. It is not in the order of its customer's
  /// messages.
  ///
  /// - Parameter reason: recorded in the audit log.
  /// - Throws: ``LedgerError``: `unknownWebhook`, `unknownWebhookDelivery`; `webhookDeliveryNotSettled`.
  public func resendWebhookDelivery(
    _ number: Int64, of webhook: String, by operatorName: String, reason: String? = nil
  ) async throws -> WebhookDelivery {
    let now = clock.now
    let entry = audit(operatorName, "resendWebhookDelivery", subject: webhook, "message \(number)", reason: reason)
    let delivery = try await database.write(locking: [.webhook(webhook)]) { transaction in
      _ = try transaction.webhook(webhook, now)
      let known = try transaction.webhookDelivery(number, of: webhook)
      guard known.settled != nil else { throw LedgerError.webhookDeliveryNotSettled }
      try transaction.execute(
        """
        UPDATE webhook_delivery
        SET state = 'waiting', due = $3, attempts = 0, settled = NULL, status = NULL, problem = NULL
        WHERE webhook = $1 AND number = $2
        """, webhook, number, now)
      try transaction.record(entry)
      return try transaction.webhookDelivery(number, of: webhook)
    }
    webhookChanges.notify()
    return delivery
  }

  /// Adds a message of the type `TEST`, whatever types the webhook has chosen. If the webhook is disabled, it waits.
  ///
  /// - Parameter reason: recorded in the audit log.
  /// - Throws: ``LedgerError/unknownWebhook(_:)``.
  public func sendTestMessage(
    to webhook: String, by operatorName: String, reason: String? = nil
  ) async throws -> WebhookDelivery {
    let now = clock.now
    let entry = audit(operatorName, "testWebhook", subject: webhook, "", reason: reason)
    let delivery = try await database.write(locking: [.webhook(webhook)]) { transaction in
      let row = try transaction.row(
        "UPDATE webhook SET deliveries = deliveries + 1 WHERE id = $1 RETURNING deliveries", webhook)
      guard let row else { throw LedgerError.unknownWebhook(webhook) }
      let number = try row.integer("deliveries")
      // Each test has a lane of its own, so it waits for nothing.
      try transaction.execute(
        """
        INSERT INTO webhook_delivery (webhook, number, message, type, lane, created, state, due)
        VALUES ($1, $2, $3, $4, $5, $6, 'waiting', $6)
        """, webhook, number, WebhookMessageID.test(of: webhook, number: number), WebhookMessageType.test,
        "test \(number)", now)
      try transaction.record(entry)
      return try transaction.webhookDelivery(number, of: webhook)
    }
    webhookChanges.notify()
    return delivery
  }

  /// Removes messages that were delivered more than ``WebhookDelivery/deliveredDays`` ago, and those that are dead since more than
  /// ``WebhookDelivery/deadDays``. Each commit removes at most 1,000.
  ///
  /// - Returns: the number of removed messages.
  @discardableResult
  public func removeOldWebhookDeliveries() async throws -> Int {
    let now = clock.now
    var removed = 0
    let kept: [(state: WebhookDelivery.State, days: Int64)] = [
      (.delivered, WebhookDelivery.deliveredDays), (.dead, WebhookDelivery.deadDays),
    ]
    for (state, days) in kept {
      var count = 1_000
      while count == 1_000, !Task.isCancelled {
        count = try await database.write(locking: []) { transaction in
          try transaction.execute(
            """
            DELETE FROM webhook_delivery WHERE settled IS NOT NULL AND (webhook, number) IN (
              SELECT webhook, number FROM webhook_delivery
              WHERE state = $1 AND settled IS NOT NULL AND settled < $2 ORDER BY settled LIMIT 1000)
            """, state, now.adding(seconds: -days * 86_400))
        }
        removed += count
      }
    }
    return removed
  }
}

extension LedgerTransaction {
  /// - Throws: ``LedgerError/unknownWebhookDelivery(_:)``.
  fileprivate func webhookDelivery(_ number: Int64, of webhook: String) throws -> WebhookDelivery {
    let row = try row(
      "SELECT \(WebhookDelivery.columns) FROM webhook_delivery WHERE webhook = $1 AND number = $2", webhook, number)
    guard let row else { throw LedgerError.unknownWebhookDelivery(number) }
    return try WebhookDelivery(row, try eventEnd())
  }
}
