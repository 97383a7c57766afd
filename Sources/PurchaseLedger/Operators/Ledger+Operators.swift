import StoreModel

extension Ledger {
  /// Creates a key for an operator. To replace a key, create another and revoke the old one.
  ///
  /// - Parameters:
  ///   - name: the holder's name in the audit log; 1 to 100 bytes of visible text, without line breaks or characters
  ///     that change the writing direction.
  ///   - operatorName: the operator who creates the key.
  public func createOperatorKey(name: String, by operatorName: String) async throws -> CreatedOperatorKey {
    guard (1...100).contains(name.utf8.count), name.unicodeScalars.allSatisfy(\.isPlainlyVisible),
      name.first?.isWhitespace == false, name.last?.isWhitespace == false,
      name.contains(where: { $0.isLetter || $0.isNumber }), name.isStreamSafe
    else {
      throw LedgerError.invalid(
        "An operator's name is 1 to 100 bytes of visible text, with a letter or digit, without blanks around it, line breaks and hidden characters."
      )
    }
    let (id, token, now) = (makeUUID().uuidString.lowercased(), BearerToken.make("operator"), clock.now)
    let entry = audit(operatorName, "createOperatorKey", subject: id, "for \(name)")
    try await database.write(locking: []) { transaction in
      try transaction.execute(
        "INSERT INTO operator_key (id, name, hash, created) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING", id, name,
        token.hash, now)
      try transaction.record(entry)
    }
    return CreatedOperatorKey(identity: OperatorIdentity(id: id, name: name), token: token)
  }

  /// Returns the holder of an operator key.
  ///
  /// - Throws: ``LedgerError/unknownOperatorKey``, also if the key was revoked.
  public func authenticateOperator(_ token: BearerToken) async throws -> OperatorIdentity {
    let hash = token.hash
    return try await database.read { transaction in
      guard
        let row = try transaction.row(
          "SELECT id, name FROM operator_key WHERE hash = $1 AND revoked IS NULL", hash)
      else { throw LedgerError.unknownOperatorKey }
      return OperatorIdentity(id: try row.text("id"), name: try row.text("name"))
    }
  }

  /// Returns all keys, including revoked ones, oldest first.
  public func operatorKeys() async throws -> [OperatorKey] {
    try await LedgerPage.all { try await operatorKeys(after: $0, limit: LedgerPage<Never>.largest) }
  }

  /// Returns a page of the keys, including revoked ones, oldest first.
  ///
  /// - Parameters:
  ///   - after: ``LedgerPage/next`` of the previous page; nil for the first page.
  ///   - limit: 1 to 1,000.
  /// - Throws: ``LedgerError/invalid(_:)``.
  public func operatorKeys(after: [String]? = nil, limit: Int) async throws -> LedgerPage<OperatorKey> {
    try LedgerPage<OperatorKey>.check(limit: limit)
    let (created, id) = try LedgerPage<OperatorKey>.parts(of: after)
    guard let milliseconds = after == nil ? .min : Int64(created) else {
      throw LedgerError.invalid("A page begins after `next` of the page before.")
    }
    let keys = try await database.read { transaction in
      try transaction.rows(
        """
        SELECT id, name, created, revoked FROM operator_key WHERE (created, id) > ($1, $2) ORDER BY created, id LIMIT $3
        """, StoreDate(millisecondsSince1970: milliseconds), id, limit + 1
      ).map { row in
        OperatorKey(
          id: try row.text("id"), name: try row.text("name"), created: try row.date("created"),
          revoked: try row.optionalDate("revoked"))
      }
    }
    let page = Array(keys.prefix(limit))
    return LedgerPage(
      elements: page,
      next: keys.count > limit ? page.last.map { ["\($0.created.millisecondsSince1970)", $0.id] } : nil)
  }

  /// Revokes a key permanently.
  ///
  /// - Throws: ``LedgerError/unknownOperatorKey``.
  public func revokeOperatorKey(id: String, by operatorName: String) async throws {
    let now = clock.now
    let entry = audit(operatorName, "revokeOperatorKey", subject: id, "")
    try await database.write(locking: []) { transaction in
      guard try transaction.row("SELECT id FROM operator_key WHERE id = $1", id) != nil else {
        throw LedgerError.unknownOperatorKey
      }
      let isNew =
        try transaction.execute("UPDATE operator_key SET revoked = $2 WHERE id = $1 AND revoked IS NULL", id, now) > 0
      if isNew { try transaction.record(entry) }
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
