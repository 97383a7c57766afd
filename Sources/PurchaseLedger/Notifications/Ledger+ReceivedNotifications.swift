import StoreModel

extension Ledger {
  /// Returns a page of the notifications of an app, the one that was received last first.
  ///
  /// - Parameters:
  ///   - after: ``LedgerPage/next`` of the previous page; nil for the first page.
  ///   - limit: 1 to 1,000.
  /// - Throws: ``LedgerError``: `unknownApp`, `invalid`.
  public func notifications(
    of app: BundleID, _ filter: ReceivedNotificationFilter = ReceivedNotificationFilter(), after: [String]? = nil,
    limit: Int
  ) async throws -> LedgerPage<ReceivedNotification> {
    _ = try settings(of: app)
    try LedgerPage<ReceivedNotification>.check(limit: limit)
    let (received, uuid) = try LedgerPage<ReceivedNotification>.parts(of: after, from: .max)
    let found = try await database.read { transaction in
      // The state is written into the text, so that the index of the notifications that are set aside is used.
      try transaction.rows(
        """
        SELECT \(ReceivedNotification.columns) FROM notification
        WHERE app = $1 AND (received, uuid) < ($2, $3) AND received >= $4 AND received < $5 AND type \(filter.type == nil ? "<>" : "=") $6
          \(filter.state.map { "AND state = '\($0.rawValue)'" } ?? "")
        ORDER BY received DESC, uuid DESC LIMIT $7
        """, app, received, uuid, filter.from ?? StoreDate(millisecondsSince1970: .min),
        filter.until ?? StoreDate(millisecondsSince1970: .max), filter.type ?? "", limit + 1
      ).map(ReceivedNotification.init)
    }
    let page = Array(found.prefix(limit))
    return LedgerPage(
      elements: page,
      next: found.count > limit ? page.last.map { ["\($0.received.millisecondsSince1970)", $0.uuid] } : nil)
  }

  /// Returns a notification.
  ///
  /// - Throws: ``LedgerError``: `unknownApp`, `unknownNotification`.
  public func notification(_ uuid: String, app: BundleID) async throws -> ReceivedNotification {
    try await notificationRow(uuid, app: app) { try ReceivedNotification($0) }
  }

  /// Returns the signed payload of a notification that was set aside, to verify it again; nil if it is recorded.
  ///
  /// - Throws: as ``notification(_:app:)``.
  public func signedPayload(ofNotification uuid: String, app: BundleID) async throws -> String? {
    try await notificationRow(uuid, app: app) { try $0.optionalText("payload") }
  }

  private func notificationRow<Value: Sendable>(
    _ uuid: String, app: BundleID, _ value: @escaping @Sendable (SQLRow) throws -> Value
  ) async throws -> Value {
    _ = try settings(of: app)
    return try await database.read { transaction in
      let row = try transaction.row(
        "SELECT \(ReceivedNotification.columns), payload FROM notification WHERE app = $1 AND uuid = $2", app, uuid)
      guard let row else { throw LedgerError.unknownNotification(uuid) }
      return try value(row)
    }
  }

  /// Returns the date at which the last notification of each app was received.
  public func lastNotificationDates() async throws -> [BundleID: StoreDate] {
    let apps = apps.keys
    return try await database.read { transaction in
      try apps.reduce(into: [:]) { dates, app in
        dates[app] = try transaction.row(
          "SELECT received FROM notification WHERE app = $1 ORDER BY received DESC, uuid DESC LIMIT 1", app
        )?.date("received")
      }
    }
  }

  /// Returns the notifications that are set aside: of each app with such notifications their number, and when the first was received.
  ///
  /// - Parameter most: the largest number to which they are counted.
  public func notificationsSetAside(most: Int = 1_000) async throws -> [BundleID: SetAsideNotifications] {
    let apps = apps.keys
    return try await database.read { transaction in
      try apps.reduce(into: [:]) { found, app in
        let row = try transaction.row(
          """
          SELECT COUNT(*) AS count, MIN(received) AS oldest FROM (
            SELECT received FROM notification WHERE app = $1 AND state = 'setAside' ORDER BY received, uuid LIMIT $2
          ) AS set_aside
          """, app, most)
        guard let row, let oldest = try row.optionalDate("oldest") else { return }
        found[app] = SetAsideNotifications(count: try row.integer("count"), oldest: oldest)
      }
    }
  }

  /// The time for which notifications are kept, in days. It is that of the App Store's history, so no duplicate comes later.
  public static let notificationDays: Int64 = 180

  /// Removes notifications, requests for information about consumption and decisions on refunds that were received more than
  /// ``notificationDays`` ago. Each commit removes at most 1,000 of a kind.
  ///
  /// - Returns: the number of removed notifications.
  @discardableResult
  public func removeOldNotifications() async throws -> Int {
    let cutoff = clock.now.adding(seconds: -Self.notificationDays * 86_400)
    var removed = 0
    for app in apps.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      var count = 1_000
      while count == 1_000, !Task.isCancelled {
        count = try await database.write(locking: []) { transaction in
          try transaction.execute(
            """
            DELETE FROM notification WHERE (app, uuid) IN (
              SELECT app, uuid FROM notification WHERE app = $1 AND received < $2 ORDER BY received LIMIT 1000)
            """, app, cutoff)
        }
        removed += count
      }
      count = 1_000
      while count == 1_000, !Task.isCancelled {
        count = try await database.write(locking: []) { try $0.removeConsumptionRequests(of: app, before: cutoff) }
      }
    }
    return removed
  }
}
