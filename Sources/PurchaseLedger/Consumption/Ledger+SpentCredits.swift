import StoreModel

extension Ledger {
  /// The number of movements that are read in one transaction.
  static let movementPage = 1_000

  /// Returns what became of the credits that a purchase gave (``CreditLots``); nil if it gave none.
  ///
  /// It reads all movements of the account up to now, a page at a time. Movements never change, so the pages are of one moment.
  func credits(of claim: Claim) async throws -> CreditLots.Purchase? {
    guard let account = claim.account else { return nil }
    let last = try await database.read { try $0.balance(of: account).movements }
    var lots = CreditLots(separating: try await refundedPurchases(of: account).union([claim.causeKey]))
    var sequence: Int64 = 0
    while sequence < last {
      try Task.checkCancellation()
      let after = sequence
      let page = try await database.read { try $0.movements(of: account, after: after, upTo: last) }
      guard let end = page.last?.sequence else { break }
      for movement in page { lots.add(movement.cause, key: movement.key, amount: movement.amount) }
      sequence = end
    }
    return lots.purchase(claim.causeKey).flatMap { $0.given > 0 ? $0 : nil }
  }

  /// Returns the keys of the purchases of an account that were refunded.
  private func refundedPurchases(of account: CreditAccount) async throws -> Set<String> {
    var (keys, last, count): (Set<String>, String, Int) = ([], "", Self.movementPage)
    while count == Self.movementPage {
      let after = last
      let page = try await database.read { try $0.refundKeys(of: account, after: after) }
      keys.formUnion(page.map(CreditLots.purchaseKey(ofRefund:)))
      (last, count) = (page.last ?? "", page.count)
    }
    return keys
  }
}

extension LedgerTransaction {
  fileprivate func movements(
    of account: CreditAccount, after sequence: Int64, upTo last: Int64
  ) throws -> [CreditMovement] {
    try rows(
      """
      SELECT sequence, amount, balance, counter_account, cause, cause_key, date FROM credit_movement
      WHERE customer = $1 AND app = $2 AND unit = $3 AND sequence > $4 AND sequence <= $5 ORDER BY sequence LIMIT $6
      """, account.customer, account.app, account.unit, sequence, last, Ledger.movementPage
    ).map(CreditMovement.init)
  }

  /// A page of the keys of an account's refunds, in their order.
  fileprivate func refundKeys(of account: CreditAccount, after key: String) throws -> [String] {
    try rows(
      """
      SELECT cause_key FROM credit_movement
      WHERE customer = $1 AND app = $2 AND unit = $3 AND cause = $4 AND cause_key > $5 ORDER BY cause_key LIMIT $6
      """, account.customer, account.app, account.unit, CreditMovement.Cause.refund, key, Ledger.movementPage
    ).map { try $0.text("cause_key") }
  }
}
