import StoreModel

/// The contents of a notification `CONSUMPTION_REQUEST`.
struct ConsumptionNotice: Hashable, Sendable {
  /// The claim on the purchase, if there is one.
  let claim: PurchaseKey
  let transaction: TransactionID
  let type: ProductType
  let uuid: String
  let reason: String?
  /// When the store signed the notification.
  let requested: StoreDate

  var deadline: StoreDate { requested.adding(seconds: RecordedConsumptionRequest.answerSeconds) }
}

extension LedgerTransaction {
  /// Records a request for information about consumption, in the commit of its notification. Earlier requests about the same
  /// transaction that are not answered are closed: the store waits for the answer to the last one. If a later request or a later
  /// decision of the store is recorded, this request is closed itself.
  ///
  /// - Parameter deadlineIn: the time until the deadline, in milliseconds; below 0 if it has passed.
  func record(
    _ notice: ConsumptionNotice, _ policy: ConsumptionSettings.Policy, deadlineIn milliseconds: Int64, _ now: StoreDate
  ) throws {
    try closeConsumptionRequests(about: notice.transaction, of: notice.claim, askedUntil: notice.requested, now)
    let key = notice.claim
    let isLast =
      try row(
        """
        SELECT 1 AS found FROM consumption_request
        WHERE app = $1 AND environment = $2 AND claim = $3 AND id = $4 AND requested > $5 LIMIT 1
        """, key.app, key.environment, key.id, notice.transaction, notice.requested) == nil
      && row(
        "SELECT 1 AS found FROM refund_decision WHERE app = $1 AND environment = $2 AND id = $3 AND decided >= $4",
        key.app, key.environment, notice.transaction, notice.requested) == nil
    let state: ConsumptionState = !isLast ? .closed : policy == .ask ? .waiting : .open
    let due: StoreDate? = !isLast ? nil : state == .open ? now : now.adding(milliseconds: max(0, milliseconds))
    try execute(
      """
      INSERT INTO consumption_request
        (app, uuid, environment, id, claim, type, reason, requested, received, deadline, state, due, settled)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (app, uuid) DO NOTHING
      """, key.app, notice.uuid, key.environment, notice.transaction, key.id, notice.type, notice.reason,
      notice.requested, now, notice.deadline, state, due,
      isLast ? nil : now)
  }

  /// Records that the store has decided on the refund of a transaction. Notifications arrive in any order: an earlier request that
  /// arrives later is closed.
  ///
  /// - Parameter date: when the store signed the notification of its decision.
  func recordRefundDecision(
    about transaction: TransactionID, of claim: PurchaseKey, at date: StoreDate, _ now: StoreDate
  ) throws {
    try execute(
      """
      INSERT INTO refund_decision (app, environment, id, decided, received) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (app, environment, id) DO UPDATE SET decided = excluded.decided, received = excluded.received
      WHERE excluded.decided > refund_decision.decided
      """, claim.app, claim.environment, transaction, date, now)
  }

  /// Closes the requests about a transaction that are not answered: the store has decided on the refund, or has asked again.
  ///
  /// - Parameter date: later requests stay.
  func closeConsumptionRequests(
    about transaction: TransactionID, of claim: PurchaseKey, askedUntil date: StoreDate, _ now: StoreDate
  ) throws {
    try execute(
      """
      UPDATE consumption_request SET state = 'closed', due = NULL, settled = $6
      WHERE app = $1 AND environment = $2 AND claim = $3 AND id = $4 AND requested <= $5 AND due IS NOT NULL
      """, claim.app, claim.environment, claim.id, transaction, date, now)
  }
}
