import StoreModel

extension Ledger {
  /// Creates a webhook.
  ///
  /// - Parameters:
  ///   - cursor: its messages begin after this place; nil for what happens from now on.
  ///   - reason: recorded in the audit log.
  /// - Returns: the webhook, and its secret, which is not shown again.
  /// - Throws: ``LedgerError``: `invalid`, `unknownApp`, `unknownCursor`, `tooManyWebhooks`.
  public func createWebhook(
    _ settings: WebhookSettings, after cursor: LedgerEventCursor? = nil, by operatorName: String, reason: String? = nil
  ) async throws -> (webhook: Webhook, secret: WebhookSecret) {
    try settings.check(in: self)
    let (id, secret, now) = (makeUUID().uuidString.lowercased(), WebhookSecret.make(), clock.now)
    let entry = audit(operatorName, "createWebhook", subject: id, settings.origin, reason: reason)
    let webhook = try await database.write(locking: [.webhooks]) { transaction in
      // After a failover, PostgreSQL is perhaps asked again for what it has committed.
      if try transaction.row("SELECT id FROM webhook WHERE id = $1", id) != nil {
        return try transaction.webhook(id, now)
      }
      let count = try transaction.row("SELECT COUNT(*) AS count FROM webhook")?.integer("count") ?? 0
      guard count < Webhook.most else { throw LedgerError.tooManyWebhooks(limit: Webhook.most) }
      let end = try transaction.eventEnd()
      let start: LedgerEventCursor
      if let cursor {
        _ = try end.place(after: cursor)
        start = cursor
      } else {
        start = end.cursor
      }
      try transaction.execute(
        """
        INSERT INTO webhook
          (id, name, url, apps, types, environments, secret, created, changed, generation, era, writer, number)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10, $11, $12)
        """, id, settings.name, settings.url, settings.storedApps, settings.storedTypes, settings.storedEnvironments,
        secret, now, start.generation, start.place.era, start.place.writer, start.place.number)
      try transaction.record(entry)
      return try transaction.webhook(id, now)
    }
    webhookChanges.notify()
    return (webhook, secret)
  }

  /// Changes a webhook. An app that it has, and that is no longer configured, can stay.
  ///
  /// - Parameters:
  ///   - isEnabled: false to send nothing, until it is enabled again: then it goes on where it has stopped. Nil to leave it.
  ///   - reason: recorded in the audit log.
  ///   - change: changes the settings. It runs in the transaction, so that no other change is lost, perhaps more than once.
  /// - Throws: ``LedgerError``: `unknownWebhook`, `invalid`, `unknownApp`.
  public func changeWebhook(
    _ id: String, isEnabled: Bool? = nil, by operatorName: String, reason: String? = nil,
    _ change: @escaping @Sendable (inout WebhookSettings) -> Void = { _ in }
  ) async throws -> Webhook {
    let now = clock.now
    let switched: String? = isEnabled.map { $0 ? "enabled" : "disabled" }
    let webhook = try await database.write(locking: [.webhook(id)]) { transaction in
      let known = try transaction.webhook(id, now)
      var new = known.settings
      change(&new)
      let isChanged = !new.isStored(as: known.settings)
      if isChanged { try new.check(in: self, replacing: known.settings) }
      // Unchanged types stay as they are stored: a later version may have chosen some that this one does not know.
      let hasSameTypes = new.types.map { Set($0) } == known.settings.types.map { Set($0) }
      let types: String? = hasSameTypes ? nil : new.storedTypes
      let origin: String? = isChanged ? new.origin : nil
      let detail = [origin, switched].compactMap(\.self).joined(separator: ", ")
      let disabled: StoreDate? =
        switch isEnabled {
        case true?: nil
        case false?: known.disabled ?? now
        case nil: known.disabled
        }
      try transaction.execute(
        """
        UPDATE webhook
        SET name = $2, url = $3, apps = $4, types = COALESCE($5, types), environments = $6, changed = $7, disabled = $8,
          problem = $9
        WHERE id = $1
        """, id, new.name, new.url, new.storedApps, types, new.storedEnvironments, now, disabled,
        isEnabled == nil ? known.problem : nil)
      try transaction.record(
        self.audit(operatorName, "changeWebhook", subject: id, detail, reason: reason))
      return try transaction.webhook(id, now)
    }
    webhookChanges.notify()
    return webhook
  }

  /// Replaces the secret of a webhook. The one before also signs for ``Webhook/rotationSeconds``.
  ///
  /// - Parameter reason: recorded in the audit log.
  /// - Returns: the webhook, and its new secret, which is not shown again.
  /// - Throws: ``LedgerError/unknownWebhook(_:)``.
  public func rotateWebhookSecret(
    _ id: String, by operatorName: String, reason: String? = nil
  ) async throws -> (webhook: Webhook, secret: WebhookSecret) {
    let (secret, now) = (WebhookSecret.make(), clock.now)
    let until = now.adding(seconds: Webhook.rotationSeconds)
    let entry = audit(operatorName, "rotateWebhookSecret", subject: id, "", reason: reason)
    let webhook = try await database.write(locking: [.webhook(id)]) { transaction in
      // If this is asked again after a failover, the secret is the new one already.
      try transaction.execute(
        """
        UPDATE webhook SET previous_secret = secret, previous_until = $3, secret = $2, changed = $4
        WHERE id = $1 AND secret <> $2
        """, id, secret, until, now)
      let webhook = try transaction.webhook(id, now)
      try transaction.record(entry)
      return webhook
    }
    return (webhook, secret)
  }

  /// Removes a webhook with all its messages. If it is interrupted, the webhook stays, disabled.
  ///
  /// - Parameter reason: recorded in the audit log.
  /// - Throws: ``LedgerError/unknownWebhook(_:)``.
  public func removeWebhook(_ id: String, by operatorName: String, reason: String? = nil) async throws {
    let now = clock.now
    let entry = audit(operatorName, "removeWebhook", subject: id, "", reason: reason)
    try await database.write(locking: [.webhook(id)]) { transaction in
      _ = try transaction.webhook(id, now)
      try transaction.execute("UPDATE webhook SET disabled = COALESCE(disabled, $2) WHERE id = $1", id, now)
    }
    var isRemoved = false
    while !isRemoved {
      isRemoved = try await database.write(locking: [.webhook(id), .webhooks]) { transaction in
        let count = try transaction.execute(
          """
          DELETE FROM webhook_delivery WHERE (webhook, number) IN (
            SELECT webhook, number FROM webhook_delivery WHERE webhook = $1 ORDER BY number LIMIT 1000)
          """, id)
        guard count < 1_000 else { return false }
        // Another operator has perhaps removed it, too.
        if try transaction.execute("DELETE FROM webhook WHERE id = $1", id) > 0 { try transaction.record(entry) }
        return true
      }
    }
  }

  /// Returns a page of the webhooks, oldest first.
  ///
  /// - Parameters:
  ///   - after: ``LedgerPage/next`` of the previous page; nil for the first page.
  ///   - limit: 1 to 1,000.
  /// - Throws: ``LedgerError/invalid(_:)``.
  public func webhooks(after: [String]? = nil, limit: Int) async throws -> LedgerPage<Webhook> {
    try LedgerPage<Webhook>.check(limit: limit)
    let (created, id) = try LedgerPage<Webhook>.parts(of: after, from: .min)
    let now = clock.now
    let found = try await database.read { transaction in
      try transaction.rows(
        """
        SELECT \(Webhook.columns) FROM webhook WHERE (created, id) > ($1, $2) ORDER BY created, id LIMIT $3
        """, created, id, limit + 1
      ).map { try Webhook($0, now) }
    }
    let page = Array(found.prefix(limit))
    return LedgerPage(
      elements: page,
      next: found.count > limit ? page.last.map { ["\($0.created.millisecondsSince1970)", $0.id] } : nil)
  }

  /// - Throws: ``LedgerError/unknownWebhook(_:)``.
  public func webhook(_ id: String) async throws -> Webhook {
    let now = clock.now
    return try await database.read { try $0.webhook(id, now) }
  }
}

extension LedgerTransaction {
  /// - Throws: ``LedgerError/unknownWebhook(_:)``.
  func webhook(_ id: String, _ now: StoreDate) throws -> Webhook {
    guard let row = try row("SELECT \(Webhook.columns) FROM webhook WHERE id = $1", id) else {
      throw LedgerError.unknownWebhook(id)
    }
    return try Webhook(row, now)
  }
}

extension EventEnd {
  /// The cursor of a reader that wants only what happens from now on.
  var cursor: LedgerEventCursor {
    let start = LedgerEventPlace(before: place, isByNumber: isByNumber)
    return LedgerEventCursor(generation: generation(of: start), start)
  }
}
