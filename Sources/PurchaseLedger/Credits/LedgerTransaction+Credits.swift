import StoreModel

/// Identifies a credit account: a customer's credits of one unit in one app.
struct CreditAccount: Hashable, Sendable {
  let customer: CustomerID
  let app: BundleID
  let unit: CreditUnit
}

extension LedgerTransaction {
  /// Adds a movement of credits. If a movement with the same cause and key exists, nothing is added.
  ///
  /// - Parameters:
  ///   - amount: positive if the customer receives credits, negative if the customer loses them; not 0.
  ///   - key: identifies the movement among the account's movements of the same cause.
  /// - Returns: the added or the existing movement.
  /// - Throws: ``LedgerError/keyReused(_:)`` if the existing movement has another amount.
  func move(
    _ amount: Int64, _ account: CreditAccount, _ cause: CreditMovement.Cause, key: String, _ now: StoreDate
  ) throws -> CreditMovement {
    try require(.customer(account.customer))
    guard let known = try movement(of: account, cause, key: key) else {
      return try add(amount, account, cause, key: key, now)
    }
    guard known.amount == amount else { throw LedgerError.keyReused(key) }
    return known
  }

  /// Adds a movement of credits for which no movement with the same cause and key exists. The database refuses a second
  /// one.
  func add(
    _ amount: Int64, _ account: CreditAccount, _ cause: CreditMovement.Cause, key: String, _ now: StoreDate
  ) throws -> CreditMovement {
    try require(.customer(account.customer))
    let row = try row(
      """
      INSERT INTO credit_account (customer, app, unit, balance, movements) VALUES ($1, $2, $3, $4, 1)
      ON CONFLICT (customer, app, unit) DO UPDATE
      SET balance = credit_account.balance + excluded.balance, movements = credit_account.movements + 1
      RETURNING balance, movements
      """, account.customer, account.app, account.unit, amount)
    guard let row else { throw LedgerDatabaseError.unexpectedRow("an account that was written is not there") }
    let movement = CreditMovement(
      sequence: try row.integer("movements"), amount: amount, balance: try row.integer("balance"),
      counterAccount: cause.counterAccount, cause: cause, key: key, date: now)
    guard (1...CreditAmount.largest).contains(abs(amount)), abs(movement.balance) <= CreditAmount.largestBalance else {
      throw LedgerError.amountOutOfRange(amount)
    }
    try executeLater(
      """
      INSERT INTO credit_movement
        (customer, app, unit, sequence, amount, balance, counter_account, cause, cause_key, date)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      """, account.customer, account.app, account.unit, movement.sequence, amount, movement.balance,
      movement.counterAccount, cause, key, now)
    return movement
  }

  func movement(
    of account: CreditAccount, _ cause: CreditMovement.Cause, key: String
  ) throws -> CreditMovement? {
    try movementLater(of: account, cause, key: key).row.map(CreditMovement.init)
  }

  /// Requests the row of a movement, at the latest when the answer is read.
  func movementLater(
    of account: CreditAccount, _ cause: CreditMovement.Cause, key: String
  ) throws -> PendingAnswer {
    try later(
      """
      SELECT sequence, amount, balance, counter_account, cause, cause_key, date FROM credit_movement
      WHERE customer = $1 AND app = $2 AND unit = $3 AND cause = $4 AND cause_key = $5
      """, account.customer, account.app, account.unit, cause, key)
  }

  /// Returns the balance in each unit that the customer ever had credits of, and the ledger's incarnation, in one statement. Without
  /// accounts, its only row has the incarnation.
  func creditBalances(of customer: CustomerID, app: BundleID) throws -> CreditBalances {
    let rows = try rows(
      """
      SELECT i.value, i.identity, a.unit, a.balance, a.movements, a.blocked
      FROM (\(LedgerIncarnation.query)) AS i
      LEFT JOIN credit_account a ON a.customer = $1 AND a.app = $2
      ORDER BY a.unit
      """, customer, app)
    let accounts = try rows.filter { try $0.optionalText("unit") != nil }
    return CreditBalances(
      incarnation: try LedgerIncarnation(rows.first), credits: try accounts.map(CreditBalance.init))
  }

  func balance(of account: CreditAccount) throws -> CreditBalance {
    try balanceLater(of: account).row.map(CreditBalance.init) ?? CreditBalance(withoutMovements: account.unit)
  }

  /// Requests the row of an account, at the latest when the answer is read. An account without movements has none.
  func balanceLater(of account: CreditAccount) throws -> PendingAnswer {
    try later(
      """
      SELECT unit, balance, movements, blocked FROM credit_account WHERE customer = $1 AND app = $2 AND unit = $3
      """, account.customer, account.app, account.unit)
  }

  /// Blocks all spending from the account until ``unblockSpending(_:)`` is called.
  func blockSpending(_ account: CreditAccount, _ now: StoreDate) throws {
    try require(.customer(account.customer))
    try execute(
      """
      UPDATE credit_account SET blocked = $4, changed = $4, cause = $5 WHERE customer = $1 AND app = $2 AND unit = $3
      """, account.customer, account.app, account.unit, now, change?.cause)
  }

  /// Lifts a block on spending.
  ///
  /// - Returns: whether spending was blocked.
  @discardableResult
  func unblockSpending(_ account: CreditAccount) throws -> Bool {
    try require(.customer(account.customer))
    return try execute(
      """
      UPDATE credit_account SET blocked = NULL, changed = $4, cause = $5
      WHERE customer = $1 AND app = $2 AND unit = $3 AND blocked IS NOT NULL
      """, account.customer, account.app, account.unit, change?.date, change?.cause) > 0
  }

  /// Returns whether the shortfall of a refund still blocks spending: no operator has lifted the block, and the refund
  /// was not reversed.
  func isBlockedByClaims(_ account: CreditAccount) throws -> Bool {
    try row(
      "SELECT 1 AS found FROM claim WHERE customer = $1 AND app = $2 AND unit = $3 AND blocks = 1 LIMIT 1",
      account.customer, account.app, account.unit) != nil
  }
}

extension CreditMovement {
  init(_ row: SQLRow) throws {
    self.init(
      sequence: try row.integer("sequence"), amount: try row.integer("amount"), balance: try row.integer("balance"),
      counterAccount: try row.value("counter_account"), cause: try row.value("cause"), key: try row.text("cause_key"),
      date: try row.date("date"))
  }
}

extension CreditBalance {
  /// The balance of an account that has no row.
  init(withoutMovements unit: CreditUnit) {
    self.init(unit: unit, balance: 0, movements: 0, isSpendingBlocked: false)
  }

  init(_ row: SQLRow) throws {
    self.init(
      unit: try row.value("unit"), balance: try row.integer("balance"), movements: try row.integer("movements"),
      isSpendingBlocked: try row.optionalInteger("blocked") != nil)
  }
}
