import StoreModel

/// How far a file of purchases was imported.
public struct ImportProgress: Hashable, Sendable {
  /// The first row that was not imported yet.
  public let nextRow: Int64
  public let started: StoreDate
  /// When the last row was imported; nil if rows are left.
  public let finished: StoreDate?
}

extension Ledger {
  /// Returns how far a file was imported; nil if its import has not begun.
  ///
  /// - Parameter digest: the SHA-256 of the file, 64 hexadecimal digits in lower case.
  public func importProgress(of digest: String, app: BundleID) async throws -> ImportProgress? {
    _ = try settings(of: app)
    return try await database.read { transaction in
      try transaction.row(
        "SELECT next_row, started, finished FROM import_progress WHERE app = $1 AND digest = $2", app, digest
      ).map { row in
        ImportProgress(
          nextRow: try row.integer("next_row"), started: try row.date("started"),
          finished: try row.optionalDate("finished"))
      }
    }
  }

  /// Stores that the import of a file begins, with an entry in the audit log. Does nothing if it has begun before.
  ///
  /// - Parameter row: the first row that will be imported.
  public func beginImport(
    of digest: String, app: BundleID, at row: Int64, by operatorName: String, reason: String?
  ) async throws {
    _ = try settings(of: app)
    guard SHA256Text.isDigest(digest) else {
      throw LedgerError.invalid("The digest of a file is its SHA-256, 64 hexadecimal digits in lower case.")
    }
    let now = clock.now
    let entry = audit(operatorName, "import", subject: digest, "in \(app)", reason: reason)
    try await database.write(locking: []) { transaction in
      let isNew =
        try transaction.execute(
          """
          INSERT INTO import_progress (app, digest, next_row, started) VALUES ($1, $2, $3, $4)
          ON CONFLICT (app, digest) DO NOTHING
          """, app, digest, row, now) > 0
      if isNew { try transaction.record(entry) }
    }
  }

  /// Stores that the rows before `row` were imported. A row that was stored before never becomes lower.
  ///
  /// - Parameter isFinished: whether no rows are left. The audit log gets an entry the first time.
  public func advanceImport(
    of digest: String, app: BundleID, to row: Int64, isFinished: Bool, by operatorName: String
  ) async throws {
    _ = try settings(of: app)
    let now = clock.now
    let entry = audit(operatorName, "finishImport", subject: digest, "in \(app)")
    try await database.write(locking: []) { transaction in
      try transaction.execute(
        "UPDATE import_progress SET next_row = $3 WHERE app = $1 AND digest = $2 AND next_row < $3", app, digest, row)
      guard isFinished else { return }
      let isNew =
        try transaction.execute(
          "UPDATE import_progress SET finished = $3 WHERE app = $1 AND digest = $2 AND finished IS NULL", app, digest,
          now) > 0
      if isNew { try transaction.record(entry) }
    }
  }
}
