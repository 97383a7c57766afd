import StoreModel

extension Ledger {
  /// Takes a message that is due, so that no other server sends it for ``WebhookDeliveryLease/seconds``. If this server is killed
  /// meanwhile, the message is due again after that time.
  ///
  /// It is a message of the webhook with the fewest attempts under way, and of these webhooks the message that was due first. One with
  /// ``Webhook/mostUnderWay`` attempts is left out. So receivers that never answer do not hold up others, however many they are.
  ///
  /// - Returns: nil if none is due.
  /// - Throws: ``LedgerDatabaseError`` if a message cannot be read, and no other webhook has one that is due; `CancellationError`.
  public func takeWebhookDelivery() async throws -> WebhookDeliveryLease? {
    let now = clock.now
    let webhooks = try await database.read { try $0.dueWebhooks(now) }
    var problem: (any Error)?
    for webhook in webhooks {
      do {
        let lease = try await database.write(locking: [.webhook(webhook)]) { try $0.lease(of: webhook, now) }
        // Otherwise another server has taken it, or too many are under way.
        if let lease { return lease }
      } catch {
        // A message that cannot be read holds up its own webhook only.
        problem = problem ?? error
      }
      try Task.checkCancellation()
    }
    if let problem { throw problem }
    return nil
  }

  /// Returns when the next message is due, by the server's clock; nil if there is none. New events are not considered
  /// (``takeMessages()``). It can be a message of a webhook with ``Webhook/mostUnderWay`` attempts under way.
  public func nextWebhookDue() async throws -> StoreDate? {
    try await database.read { try $0.nextWebhookDue() }
  }

  /// Gives a message back of which nothing was sent: it is due at once, and the attempt does not count. It is completed even if the task
  /// is cancelled. If the lease was over and something else has changed the message, nothing changes.
  public func giveBack(_ lease: WebhookDeliveryLease) async throws {
    let now = clock.now
    try await Task { [database] in
      try await database.write(locking: [.webhook(lease.webhook)]) { try $0.giveBack(lease, now) }
    }.value
    webhookChanges.notify()
  }

  /// Stores the result of an attempt, and when the message is due again. It is completed even if the task is cancelled, so that a server
  /// that stops does not send a delivered message again.
  ///
  /// - Returns: what was stored; nil if the lease was over and something else has changed the message. Then nothing is stored.
  public func settle(
    _ lease: WebhookDeliveryLease, _ result: WebhookDeliveryResult
  ) async throws -> WebhookSettlement? {
    let now = clock.now
    let change = DeliveryChange(result, of: lease, now)
    let settlement = try await Task { [database] in
      try await database.write(locking: [.webhook(lease.webhook)]) { try $0.settle(lease, change, now) }
    }.value
    webhookChanges.notify()
    return settlement
  }
}

/// What is stored about a message after an attempt.
private struct DeliveryChange: Sendable {
  let state: WebhookDelivery.State
  /// Nil in a final state.
  var due: StoreDate?
  var status: Int64?
  var problem: String?
  /// The number of attempts.
  let attempts: Int64
  /// Whether the webhook is disabled.
  var isGone = false

  init(_ result: WebhookDeliveryResult, of lease: WebhookDeliveryLease, _ now: StoreDate) {
    switch result {
    case .delivered(let status):
      (state, attempts) = (.delivered, lease.attempts)
      self.status = status
    case .failed(let status, let problem, let seconds):
      attempts = lease.attempts
      self.status = status
      self.problem = Self.stored(problem)
      if let pause = lease.pauseSeconds {
        state = .waiting
        due = now.adding(seconds: max(pause, min(WebhookDeliveryLease.mostPauseSeconds, seconds)))
      } else {
        state = .dead
      }
    case .gone(let problem):
      // It is the first one if the webhook is enabled again.
      (state, attempts) = (.waiting, lease.attempts - 1)
      (status, self.problem, isGone) = (410, Self.stored(problem), true)
      due = now
    }
  }

  /// PostgreSQL's text cannot have NUL.
  private static func stored(_ problem: String) -> String {
    String(problem.replacing("\0", with: "").prefix(WebhookDeliveryLease.longestProblem))
  }
}

extension LedgerTransaction {
  /// Returns the enabled webhooks with a message that is due and less than ``Webhook/mostUnderWay`` attempts under way: those with the
  /// fewest attempts first, and then in the order of the dates.
  fileprivate func dueWebhooks(_ now: StoreDate) throws -> [String] {
    let enabled = try rows(
      """
      SELECT w.id, (
        SELECT MIN(d.due) FROM webhook_delivery d WHERE d.webhook = w.id AND d.due IS NOT NULL) AS due, (
        SELECT COUNT(*) FROM webhook_delivery s
        WHERE s.webhook = w.id AND s.state = 'sending' AND s.due > $1) AS under_way
      FROM webhook w WHERE w.disabled IS NULL
      """, now)
    var found: [(underWay: Int64, due: StoreDate, id: String)] = []
    for row in enabled {
      let underWay = try row.integer("under_way")
      guard underWay < Webhook.mostUnderWay, let due = try row.optionalDate("due"), due <= now else { continue }
      found.append((underWay: underWay, due: due, id: try row.text("id")))
    }
    return found.sorted { ($0.underWay, $0.due, $0.id) < ($1.underWay, $1.due, $1.id) }.map(\.id)
  }

  fileprivate func nextWebhookDue() throws -> StoreDate? {
    try row(
      """
      SELECT MIN(due) AS due FROM (
        SELECT (SELECT MIN(d.due) FROM webhook_delivery d WHERE d.webhook = w.id AND d.due IS NOT NULL) AS due
        FROM webhook w WHERE w.disabled IS NULL
      ) AS next
      """
    )?.optionalDate("due")
  }

  /// Takes the message of a webhook that was due first. The caller holds the webhook's lock.
  fileprivate func lease(of id: String, _ now: StoreDate) throws -> WebhookDeliveryLease? {
    try require(.webhook(id))
    let until = now.adding(seconds: WebhookDeliveryLease.seconds)
    let settings = try row(
      """
      SELECT url, secret, CASE WHEN previous_until > $2 THEN previous_secret END AS previous_secret, (
        SELECT COUNT(*) FROM webhook_delivery WHERE webhook = $1 AND state = 'sending' AND due > $2) AS under_way
      FROM webhook WHERE id = $1 AND disabled IS NULL
      """, id, now)
    guard let settings, try settings.integer("under_way") < Webhook.mostUnderWay else { return nil }
    let first = try row(
      """
      SELECT \(WebhookDelivery.columns) FROM webhook_delivery
      WHERE webhook = $1 AND due <= $2 ORDER BY due, number LIMIT 1
      """, id, now)
    guard let first else { return nil }
    let number = try first.integer("number")
    let attempts = try first.integer("attempts") + 1
    try execute(
      "UPDATE webhook_delivery SET state = 'sending', due = $3, attempts = $4 WHERE webhook = $1 AND number = $2",
      id, number, until, attempts)
    var secrets = [try settings.secret("secret")]
    if try settings.optionalText("previous_secret") != nil { secrets.append(try settings.secret("previous_secret")) }
    let made = try message(of: first, at: id)
    return WebhookDeliveryLease(
      webhook: id, number: number, url: try settings.text("url"), message: try first.text("message"),
      type: try first.value("type"), body: try made.body, secrets: secrets, attempts: attempts,
      lane: try first.text("lane"), until: until)
  }

  /// Makes the message of a row of `webhook_delivery`, from the event and the records as they are now.
  private func message(of row: SQLRow, at webhook: String) throws -> WebhookMessage {
    guard let place = try row.deliveryPlace else {
      return WebhookMessage(testOf: webhook, number: try row.integer("number"), created: try row.date("created"))
    }
    let end = try eventEnd()
    guard let event = try messageRow(at: place, end),
      let message = try WebhookMessage(event, at: end.cursor(at: place))
    else { throw LedgerDatabaseError.unexpectedRow("the event of a webhook's message is not there") }
    return message
  }

  fileprivate func giveBack(_ lease: WebhookDeliveryLease, _ now: StoreDate) throws {
    try execute(
      """
      UPDATE webhook_delivery SET state = $4, due = $5, attempts = $6
      WHERE webhook = $1 AND number = $2 AND due = $3 AND state = 'sending'
      """, lease.webhook, lease.number, lease.until, WebhookDelivery.State.waiting, now, lease.attempts - 1)
  }

  /// - Returns: nil if something else has changed the message.
  fileprivate func settle(
    _ lease: WebhookDeliveryLease, _ change: DeliveryChange, _ now: StoreDate
  ) throws -> WebhookSettlement? {
    let settled = change.due == nil ? now : nil
    let isChanged =
      try execute(
        """
        UPDATE webhook_delivery
        SET state = $4, due = $5, settled = $6, status = $7, problem = $8, attempts = $9
        WHERE webhook = $1 AND number = $2 AND due = $3 AND state = 'sending'
        """, lease.webhook, lease.number, lease.until, change.state, change.due, settled, change.status,
        change.problem, change.attempts) > 0
    guard isChanged else { return nil }
    if settled != nil { try advance(lease.lane, of: lease.webhook, now) }
    guard change.isGone else { return WebhookSettlement(state: change.state) }
    let count = try execute(
      "UPDATE webhook SET disabled = $2, problem = $3 WHERE id = $1 AND disabled IS NULL", lease.webhook, now,
      change.problem)
    return WebhookSettlement(state: change.state, hasDisabledWebhook: count > 0)
  }

  /// Makes the first message of a lane due that is not settled. The caller holds the webhook's lock.
  private func advance(_ lane: String, of webhook: String, _ now: StoreDate) throws {
    try execute(
      """
      UPDATE webhook_delivery SET due = $3
      WHERE webhook = $1 AND due IS NULL AND settled IS NULL AND number = (
        SELECT MIN(n.number) FROM webhook_delivery n WHERE n.webhook = $1 AND n.lane = $2 AND n.settled IS NULL)
      """, webhook, lane, now)
  }
}
