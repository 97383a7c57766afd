import StoreModel

/// How far this ledger has read one of the store's histories. A server that reads it holds a lease, so that several servers of a
/// ledger do not read it at once.
public struct StoreCursor: Hashable, Sendable {
  /// A history of the store.
  public enum Source: String, Hashable, Sendable {
    case notificationHistory
  }

  public let app: BundleID
  public let environment: StoreEnvironment
  public let source: Source
  /// The date up to which the history was read completely, by the store's clock. At first, the date at which the ledger was
  /// created.
  public let position: StoreDate
  /// Identifies the run that holds the lease.
  let holder: String

  /// How long a lease lasts, in seconds. A run extends it with each page.
  public static let leaseSeconds: Int64 = 120
}

/// The result of ``Ledger/takeCursor(_:of:in:)``.
public enum StoreCursorLease: Hashable, Sendable {
  case taken(StoreCursor)
  /// Another run reads the history.
  ///
  /// - Parameter seconds: after this number of seconds, at least 1, the lease is over if that run has stopped.
  case held(seconds: Int64)
}

/// How far a history was read, and whether a server reads it now.
public struct StoreCursorState: Hashable, Codable, Sendable {
  public let app: BundleID
  public let environment: StoreEnvironment
  public let position: StoreDate
  /// The end of the lease of the server that reads it; nil if none does.
  public let leasedUntil: StoreDate?
}

extension Ledger {
  /// Returns how far each history of a source was read. A history that no server has begun to read is missing.
  public func storeCursors(_ source: StoreCursor.Source) async throws -> [StoreCursorState] {
    let (now, apps) = (clock.now, apps)
    return try await database.read { transaction in
      try apps.keys.flatMap { app in
        try transaction.rows(
          "SELECT app, environment, position, until FROM store_cursor WHERE app = $1 AND source = $2", app, source
        ).map { row in
          let until = try row.date("until")
          return StoreCursorState(
            app: try row.identifier("app"), environment: try row.value("environment"),
            position: try row.date("position"), leasedUntil: until > now ? until : nil)
        }
      }
    }
  }

  /// Begins to read a history of the store, unless another run reads it.
  public func takeCursor(
    _ source: StoreCursor.Source, of app: BundleID, in environment: StoreEnvironment
  ) async throws -> StoreCursorLease {
    _ = try settings(of: app)
    let (now, holder) = (clock.now, makeUUID().uuidString.lowercased())
    return try await database.write(locking: []) { transaction in
      let created = try transaction.row("SELECT value FROM ledger_fact WHERE name = 'created'")?.text("value")
      try transaction.execute(
        """
        INSERT INTO store_cursor (app, environment, source, position, until) VALUES ($1, $2, $3, $4, 0)
        ON CONFLICT (app, environment, source) DO NOTHING
        """, app, environment, source, created.flatMap(StoreDate.init(typed:)) ?? now)
      // A lease that ends much later was taken while another server's clock was ahead.
      let taken = try transaction.row(
        """
        UPDATE store_cursor SET holder = $4, until = $5
        WHERE app = $1 AND environment = $2 AND source = $3 AND (until <= $6 OR until > $7)
        RETURNING position
        """, app, environment, source, holder, now.adding(seconds: StoreCursor.leaseSeconds), now,
        now.adding(seconds: 2 * StoreCursor.leaseSeconds))
      if let taken {
        return .taken(
          StoreCursor(
            app: app, environment: environment, source: source, position: try taken.date("position"), holder: holder))
      }
      let row = try transaction.row(
        "SELECT until FROM store_cursor WHERE app = $1 AND environment = $2 AND source = $3", app, environment, source)
      let milliseconds = try (row?.date("until") ?? now).millisecondsSince1970 - now.millisecondsSince1970
      return .held(seconds: max(1, (milliseconds + 999) / 1000))
    }
  }

  /// Extends the lease of a run. Called with each page.
  ///
  /// - Parameter position: as for ``advance(_:to:)``; nil to leave it as it is.
  /// - Returns: false if the lease was over and another run has taken it. This run ends then.
  public func extend(_ cursor: StoreCursor, readTo position: StoreDate? = nil) async throws -> Bool {
    let until = clock.now.adding(seconds: StoreCursor.leaseSeconds)
    return try await change(cursor, "until = $5", until, position)
  }

  /// Ends a run that has read everything.
  ///
  /// - Parameter position: the date up to which the history was read, by the store's clock.
  /// - Returns: false if another run has taken the cursor, which is then not changed.
  @discardableResult
  public func advance(_ cursor: StoreCursor, to position: StoreDate) async throws -> Bool {
    try await change(cursor, "until = $5, holder = NULL", Self.noLease, position)
  }

  /// Ends a run that has not read everything. It is completed even if the task is cancelled, so that a server which stops
  /// leaves no lease.
  public func release(_ cursor: StoreCursor) async throws {
    _ = try await Task { try await change(cursor, "until = $5, holder = NULL", Self.noLease) }.value
  }

  private static let noLease = StoreDate(millisecondsSince1970: 0)

  private func change(
    _ cursor: StoreCursor, _ assignments: String, _ until: StoreDate, _ position: StoreDate? = nil
  ) async throws -> Bool {
    try await database.write(locking: []) { transaction in
      try transaction.execute(
        """
        UPDATE store_cursor SET \(assignments), position = COALESCE($6, position)
        WHERE app = $1 AND environment = $2 AND source = $3 AND holder = $4
        """, cursor.app, cursor.environment, cursor.source, cursor.holder, until, position) > 0
    }
  }
}

extension StoreCursor.Source: SQLValueConvertible {}
