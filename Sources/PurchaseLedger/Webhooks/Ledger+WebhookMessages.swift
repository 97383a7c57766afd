import StoreModel

extension Ledger {
  /// Returns messages in the order of their events, all of one moment, as webhooks send them.
  ///
  /// - Parameters:
  ///   - cursor: where the page begins; nil for the beginning.
  ///   - limit: the maximum number of messages: 1 to 1,000. A page ends before an event that a later version of this software has
  ///     written, which only that version can make a message of. A page reads at most ``LedgerEventPage/largest`` events, and not each event
  ///     makes a message. So it can have fewer messages, or none, although there are more.
  ///   - app: only messages about this app, which must be configured; nil for all.
  /// - Throws: ``LedgerError``: `invalid`, `unknownApp`, `unknownCursor`.
  public func messages(
    after cursor: LedgerEventCursor? = nil, limit: Int, app: BundleID? = nil
  ) async throws -> WebhookMessagePage {
    guard (1...LedgerEventPage.largest).contains(limit) else {
      throw LedgerError.invalid("A page has 1 to 1,000 messages.")
    }
    if let app { try check(app) }
    return try await exportTurns.run(for: .page) {
      try await database.read { transaction in
        let end = try transaction.eventEnd()
        let start = try end.place(after: cursor)
        var next = cursor ?? LedgerEventCursor(generation: end.ids[0], .start)
        var messages: [WebhookMessage] = []
        for row in try transaction.messageRows(after: start, before: end, limit: LedgerEventPage.largest) {
          guard messages.count < limit, row.event.kind != nil else { break }
          next = end.cursor(of: row)
          guard app == nil || row.event.app == app else { continue }
          if let message = try WebhookMessage(row, at: next) { messages.append(message) }
        }
        return WebhookMessagePage(messages: messages, next: next)
      }
    }
  }

  /// Makes the messages of all new events (``takeNextMessages()``).
  ///
  /// - Returns: the number of added messages, over all webhooks.
  /// - Throws: ``LedgerDatabaseError``; `CancellationError`.
  @discardableResult
  public func takeMessages() async throws -> Int {
    var total = 0
    while true {
      let (count, hasMore) = try await takeNextMessages()
      total += count
      guard hasMore else { return total }
    }
  }

  /// Reads the next events after the cursor of each enabled webhook, at most 1,000, adds the messages that the webhook has chosen, and
  /// moves its cursor, in a commit for each webhook. Events are read once for all webhooks with the same cursor. Events that a later
  /// version of this software has written are left to a server of that version, with all after them.
  ///
  /// - Returns: the number of added messages, over all webhooks; whether a webhook may have more new events.
  /// - Throws: ``LedgerDatabaseError``, also if the events after some cursors cannot be read: then the others have their messages;
  ///   `CancellationError`.
  public func takeNextMessages() async throws -> (count: Int, hasMore: Bool) {
    var count = 0
    let (batches, problem) = try await database.read { try $0.newMessages() }
    for batch in batches {
      for webhook in batch.webhooks { count += try await take(batch, for: webhook) }
    }
    try Task.checkCancellation()
    if count > 0 { webhookChanges.notify() }
    if let problem { throw problem }
    return (count, batches.contains(where: \.isFull))
  }

  private func take(_ batch: NewMessages, for webhook: String) async throws -> Int {
    let now = clock.now
    return try await database.write(locking: [.webhook(webhook)]) { transaction in
      // The settings may have changed since the events were read, or another server has moved the cursor.
      guard let row = try transaction.webhookRow(webhook, at: batch.start) else { return 0 }
      let settings = try Webhook(row, now).settings
      let chosen = batch.messages.filter { settings.accept($0) }
      var number = try row.integer("deliveries")
      var pending = try transaction.pendingLanes(of: webhook, among: chosen)
      for message in chosen {
        number += 1
        let isFirst = pending.insert(message.lane).inserted
        try transaction.insert(message, number, of: webhook, due: isFirst ? now : nil, now)
      }
      let end = batch.end
      try transaction.execute(
        """
        UPDATE webhook SET deliveries = $2, generation = $3, era = $4, writer = $5, number = $6 WHERE id = $1
        """, webhook, number, end.generation, end.place.era, end.place.writer, end.place.number)
      return chosen.count
    }
  }
}

/// The messages of the events after a cursor that one or more webhooks have.
private struct NewMessages: Sendable {
  let webhooks: [String]
  let start: LedgerEventCursor
  /// The place after the last event that was read.
  let end: LedgerEventCursor
  let messages: [WebhookMessage]
  /// Whether there may be more events.
  let isFull: Bool
}

extension WebhookMessage {
  /// What has an order of its own: the messages of a customer, or of a purchase that nobody has claimed.
  fileprivate var lane: String {
    if let customer = data.customer { return customer.description }
    let parts = [data.app?.rawValue, data.environment?.rawValue, data.originalTransactionId?.rawValue]
    return parts.compactMap(\.self).joined(separator: " ")
  }
}

extension EventEnd {
  fileprivate func cursor(of row: MessageRow) -> LedgerEventCursor {
    LedgerEventCursor(generation: generation(of: row.event.place), row.event.place)
  }
}

extension LedgerTransaction {
  /// Reads the events after the cursor of each enabled webhook. Cursors after which there are none are left out.
  ///
  /// - Returns: also the error of a cursor whose events cannot be read, which holds up its own webhooks only.
  fileprivate func newMessages() throws -> ([NewMessages], problem: (any Error)?) {
    let webhooks = try rows(
      "SELECT id, generation, era, writer, number FROM webhook WHERE disabled IS NULL ORDER BY created, id")
    guard !webhooks.isEmpty else { return ([], nil) }
    let end = try eventEnd()
    let cursors = try Dictionary(grouping: webhooks) { row in
      LedgerEventCursor(
        generation: try row.text("generation"),
        LedgerEventPlace(
          era: try row.integer("era"), writer: try row.integer("writer"), number: try row.integer("number")))
    }
    var batches: [NewMessages] = []
    var problem: (any Error)?
    for (start, webhooks) in cursors {
      do {
        let ids = try webhooks.map { try $0.text("id") }
        if let batch = try newMessages(of: ids, after: start, end) { batches.append(batch) }
      } catch let error where Self.isAboutRows(error) {
        problem = problem ?? error
      }
    }
    return (batches, problem)
  }

  /// Whether an error is about what is stored, so that reading it again would fail again.
  private static func isAboutRows(_ error: any Error) -> Bool {
    switch error {
    case is DecodingError, is LedgerError, LedgerDatabaseError.unexpectedRow: true
    default: false
    }
  }

  /// Reads the next events after a cursor that webhooks have; nil if there are none.
  private func newMessages(
    of webhooks: [String], after start: LedgerEventCursor, _ end: EventEnd
  ) throws -> NewMessages? {
    let limit = LedgerEventPage.largest
    let found = try messageRows(after: try end.place(after: start), before: end, limit: limit)
    let known = found.prefix { $0.event.kind != nil }
    guard let last = known.last else { return nil }
    return NewMessages(
      webhooks: webhooks, start: start, end: end.cursor(of: last),
      messages: try known.compactMap { try WebhookMessage($0, at: end.cursor(of: $0)) }, isFull: known.count == limit)
  }

  /// Returns an enabled webhook; nil if its cursor is another one now, or it is not enabled any more.
  fileprivate func webhookRow(_ id: String, at cursor: LedgerEventCursor) throws -> SQLRow? {
    try row(
      """
      SELECT deliveries, \(Webhook.columns) FROM webhook
      WHERE id = $1 AND disabled IS NULL AND generation = $2 AND era = $3 AND writer = $4 AND number = $5
      """, id, cursor.generation, cursor.place.era, cursor.place.writer, cursor.place.number)
  }

  /// Returns those lanes of messages that have a message which is not settled. The statements are sent together.
  fileprivate func pendingLanes(of webhook: String, among messages: [WebhookMessage]) throws -> Set<String> {
    let answers = try Set(messages.map(\.lane)).map { lane in
      try later(
        "SELECT lane FROM webhook_delivery WHERE webhook = $1 AND lane = $2 AND settled IS NULL LIMIT 1", webhook, lane)
    }
    return Set(try answers.compactMap { try $0.row?.text("lane") })
  }

  fileprivate func insert(
    _ message: WebhookMessage, _ number: Int64, of webhook: String, due: StoreDate?, _ now: StoreDate
  ) throws {
    let place = message.data.cursor?.place
    try executeLater(
      """
      INSERT INTO webhook_delivery
        (webhook, number, message, type, app, lane, era, writer, event, created, state, due)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
      """, webhook, number, message.data.id, message.type, message.data.app, message.lane, place?.era, place?.writer,
      place?.number, now, WebhookDelivery.State.waiting, due)
  }
}
