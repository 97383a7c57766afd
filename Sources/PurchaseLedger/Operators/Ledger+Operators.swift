import StoreModel

extension Ledger {
  /// Creates a key for an operator. To replace a key, create another and revoke the old one.
  ///
  /// - Parameters:
  ///   - name: the holder's name in the audit log; 1 to 100 bytes of visible text, without line breaks or characters
  ///     that change the writing direction.
  ///   - creator: the operator who creates the key.
  ///   - reason: recorded in the audit log.
  /// - Throws: ``LedgerError``: `roleRequired` if the creator's role is below the key's; `invalid`.
  public func createOperatorKey(
    name: String, role: OperatorRole, by creator: OperatorIdentity, reason: String? = nil
  ) async throws -> CreatedOperatorKey {
    guard role <= creator.role else { throw LedgerError.roleRequired(role) }
    guard (1...100).contains(name.utf8.count), name.unicodeScalars.allSatisfy(\.isPlainlyVisible),
      name.first?.isWhitespace == false, name.last?.isWhitespace == false,
      name.contains(where: { $0.isLetter || $0.isNumber }), name.isStreamSafe
    else {
      throw LedgerError.invalid(
        "An operator's name is 1 to 100 bytes of visible text, with a letter or digit, without blanks around it, line breaks and hidden characters."
      )
    }
    let (id, token, now) = (makeUUID().uuidString.lowercased(), BearerToken.make("operator"), clock.now)
    let entry = audit(
      creator.name, "createOperatorKey", subject: id, "\(role.rawValue) for \(name)", reason: reason)
    try await database.write(locking: []) { transaction in
      try transaction.execute(
        """
        INSERT INTO operator_key (id, name, role, hash, created) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
        """, id, name, role, token.hash, now)
      try transaction.record(entry)
    }
    return CreatedOperatorKey(identity: OperatorIdentity(id: id, name: name, role: role), token: token)
  }

  /// Returns the holder of an operator key, or of a session that was begun with it.
  ///
  /// - Throws: ``LedgerError/unknownOperatorKey``, also if the key was revoked or the session has ended.
  public func authenticateOperator(_ token: BearerToken) async throws -> OperatorIdentity {
    let (hash, isSession, now) = (token.hash, token.isOperatorSession, clock.now)
    return try await database.read { transaction in
      let row =
        isSession
        ? try transaction.row(
          """
          SELECT k.id, k.name, k.role FROM operator_session s JOIN operator_key k ON k.id = s.operator_key
          WHERE s.hash = $1 AND s.expires > $2 AND k.revoked IS NULL
          """, hash, now)
        : try transaction.row("SELECT id, name, role FROM operator_key WHERE hash = $1 AND revoked IS NULL", hash)
      guard let row else { throw LedgerError.unknownOperatorKey }
      return try OperatorIdentity(row)
    }
  }

  /// Returns all keys, including revoked ones, oldest first.
  public func operatorKeys() async throws -> [OperatorKey] {
    try await LedgerPage.all { try await operatorKeys(after: $0, limit: LedgerPage<Never>.largest) }
  }

  /// Returns a page of the keys, including revoked ones.
  ///
  /// - Parameters:
  ///   - order: by the date of creation.
  ///   - after: ``LedgerPage/next`` of the previous page; nil for the first page.
  ///   - limit: 1 to 1,000.
  /// - Throws: ``LedgerError/invalid(_:)``.
  public func operatorKeys(
    _ order: ListOrder = .oldest, after: [String]? = nil, limit: Int
  ) async throws -> LedgerPage<OperatorKey> {
    try LedgerPage<OperatorKey>.check(limit: limit)
    let (sign, direction) = order == .oldest ? (">", "ASC") : ("<", "DESC")
    let (created, id) = try LedgerPage<OperatorKey>.parts(of: after, from: order == .oldest ? .min : .max)
    let keys = try await database.read { transaction in
      try transaction.rows(
        """
        SELECT id, name, role, created, revoked FROM operator_key
        WHERE (created, id) \(sign) ($1, $2) ORDER BY created \(direction), id \(direction) LIMIT $3
        """, created, id, limit + 1
      ).map { row in
        OperatorKey(
          id: try row.text("id"), name: try row.text("name"), role: try row.value("role"),
          created: try row.date("created"), revoked: try row.optionalDate("revoked"))
      }
    }
    let page = Array(keys.prefix(limit))
    return LedgerPage(
      elements: page,
      next: keys.count > limit ? page.last.map { ["\($0.created.millisecondsSince1970)", $0.id] } : nil)
  }

  /// Revokes a key permanently, and ends its sessions.
  ///
  /// - Parameter reason: recorded in the audit log.
  /// - Throws: ``LedgerError``: `unknownOperatorKey`; `lastAdminKey` if no other key would have the role `admin`.
  public func revokeOperatorKey(id: String, by operatorName: String, reason: String? = nil) async throws {
    let now = clock.now
    let entry = audit(operatorName, "revokeOperatorKey", subject: id, "", reason: reason)
    // Without the lock, two operators could revoke each other's key at the same time.
    try await database.write(locking: [.operatorKeys]) { transaction in
      guard let key = try transaction.row("SELECT role, revoked FROM operator_key WHERE id = $1", id) else {
        throw LedgerError.unknownOperatorKey
      }
      guard try key.optionalDate("revoked") == nil else { return }
      let role: OperatorRole = try key.value("role")
      let other = try transaction.row(
        "SELECT id FROM operator_key WHERE role = $1 AND revoked IS NULL AND id <> $2 LIMIT 1", OperatorRole.admin, id)
      guard role != .admin || other != nil else { throw LedgerError.lastAdminKey }
      try transaction.execute("UPDATE operator_key SET revoked = $2 WHERE id = $1", id, now)
      try transaction.execute("DELETE FROM operator_session WHERE operator_key = $1", id)
      try transaction.record(entry)
    }
  }

  /// Returns a page of the audit log, newest entry first.
  ///
  /// - Parameters:
  ///   - before: the date of the previous page's last entry; nil for the first page.
  ///   - beforeID: the id of that entry; nil to skip all entries with that date.
  ///   - limit: 1 to 1,000.
  public func auditLog(
    before: StoreDate? = nil, beforeID: String? = nil, limit: Int = 100
  ) async throws -> [AuditEntry] {
    guard (1...1000).contains(limit) else { throw LedgerError.invalid("A page has 1 to 1,000 entries.") }
    return try await database.read { transaction in
      try transaction.rows(
        """
        SELECT date, id, operator, action, subject, detail FROM audit_entry
        WHERE date < $1 OR (date = $1 AND id < $2) ORDER BY date DESC, id DESC LIMIT $3
        """, before ?? StoreDate(millisecondsSince1970: .max), beforeID ?? "", limit
      ).map { row in
        AuditEntry(
          id: try row.text("id"), date: try row.date("date"), operatorName: try row.text("operator"),
          action: try row.text("action"), subject: try row.text("subject"), detail: try row.text("detail"))
      }
    }
  }
}

extension OperatorRole: SQLValueConvertible {}

extension OperatorIdentity {
  init(_ row: SQLRow) throws {
    self.init(id: try row.text("id"), name: try row.text("name"), role: try row.value("role"))
  }
}
