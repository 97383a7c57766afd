import StoreModel

extension Ledger {
  /// Returns a page of the requests for information about consumption of an app, the newest first.
  ///
  /// - Parameters:
  ///   - state: only requests in this state; nil for all.
  ///   - after: ``LedgerPage/next`` of the previous page; nil for the first page.
  ///   - limit: 1 to 1,000.
  /// - Throws: ``LedgerError``: `unknownApp`, `invalid`.
  public func consumptionRequests(
    of app: BundleID, in state: ConsumptionState? = nil, after: [String]? = nil, limit: Int
  ) async throws -> LedgerPage<RecordedConsumptionRequest> {
    _ = try settings(of: app)
    try LedgerPage<RecordedConsumptionRequest>.check(limit: limit)
    let (requested, uuid) = try LedgerPage<RecordedConsumptionRequest>.parts(of: after, from: .max)
    let found = try await database.read { transaction in
      try transaction.rows(
        RecordedConsumptionRequest.query(
          """
          app = $1 AND (requested, uuid) < ($2, $3) \(state == nil ? "AND state <> $4" : "AND state = $4")
          ORDER BY requested DESC, uuid DESC LIMIT $5
          """, order: "r.requested DESC, r.uuid DESC"), app, requested, uuid, state?.rawValue ?? "", limit + 1
      ).map(RecordedConsumptionRequest.init)
    }
    let page = Array(found.prefix(limit))
    return LedgerPage(
      elements: page,
      next: found.count > limit ? page.last.map { ["\($0.requested.millisecondsSince1970)", $0.uuid] } : nil)
  }

  /// Returns a request, and the values that would be sent for it now.
  ///
  /// - Returns: no values if nothing would be sent: the request is settled, or the customer is not known or has not consented.
  /// - Throws: ``LedgerError``: `unknownApp`, `unknownConsumptionRequest`.
  public func consumptionRequest(
    _ uuid: String, app: BundleID
  ) async throws -> (request: RecordedConsumptionRequest, computed: ConsumptionValues?) {
    let settings = try settings(of: app).consumption
    let (request, claim) = try await database.read { transaction in
      let request = try transaction.consumptionRequest(uuid, app: app)
      return (request.recorded, try transaction.claim(request.claim))
    }
    guard !request.state.isFinal, request.settled == nil, request.hasConsent, let claim else { return (request, nil) }
    return (request, try await share(of: claim).answer(request.values, request.type, settings))
  }

  /// Stores an operator's answer to a request, and records it in the audit log. The server sends it then, if the customer consents.
  ///
  /// - Parameters:
  ///   - values: those that are nil are computed when the answer is sent.
  ///   - reason: recorded in the audit log.
  /// - Throws: ``LedgerError``: `unknownApp`; `unknownConsumptionRequest`; `consumptionRequestNotWaiting`, also if its deadline has
  ///   passed; `invalid`.
  public func answerConsumptionRequest(
    _ uuid: String, app: BundleID, with values: ConsumptionValues, by operatorName: String, reason: String
  ) async throws -> RecordedConsumptionRequest {
    _ = try settings(of: app)
    let (now, storeNow) = (clock.now, now)
    let entry = audit(operatorName, "answerConsumptionRequest", subject: uuid, "in \(app)", reason: reason)
    let answered = try await database.write(locking: []) { transaction in
      let request = try transaction.consumptionRequest(uuid, app: app).recorded
      guard request.state == .waiting else { throw LedgerError.consumptionRequestNotWaiting(request.state) }
      guard storeNow < request.deadline else { throw LedgerError.consumptionRequestNotWaiting(.expired) }
      try values.check(request.type)
      let isChanged =
        try transaction.execute(
          """
          UPDATE consumption_request
          SET state = 'open', due = $3, attempts = 0, delivery = $4, percentage = $5, preference = $6, sample = $7
          WHERE app = $1 AND uuid = $2 AND state = 'waiting'
          """, app, uuid, now, values.deliveryStatus, values.consumptionPercentage, values.refundPreference,
          values.sampleContentProvided) > 0
      // Another operator has answered meanwhile.
      guard isChanged else { throw LedgerError.consumptionRequestNotWaiting(.open) }
      try transaction.record(entry)
      return try transaction.consumptionRequest(uuid, app: app).recorded
    }
    consumptionChanges.notify()
    return answered
  }
}

extension LedgerTransaction {
  /// - Throws: ``LedgerError/unknownConsumptionRequest(_:)``.
  fileprivate func consumptionRequest(
    _ uuid: String, app: BundleID
  ) throws -> (recorded: RecordedConsumptionRequest, claim: PurchaseKey) {
    let row = try row(
      RecordedConsumptionRequest.query("app = $1 AND uuid = $2", order: "r.uuid"), app, uuid)
    guard let row else { throw LedgerError.unknownConsumptionRequest(uuid) }
    let request = try RecordedConsumptionRequest(row)
    return (request, PurchaseKey(app: app, environment: request.environment, id: try row.value("claim")))
  }

  /// Removes requests and decisions that were received before a date.
  ///
  /// - Parameter date: by the server's clock, as ``RecordedConsumptionRequest/received``.
  /// - Returns: the larger of the numbers of removed requests and of removed decisions, at most 1,000.
  func removeConsumptionRequests(of app: BundleID, before date: StoreDate) throws -> Int {
    let requests = try execute(
      """
      DELETE FROM consumption_request WHERE (app, uuid) IN (
        SELECT app, uuid FROM consumption_request WHERE app = $1 AND received < $2 ORDER BY received LIMIT 1000)
      """, app, date)
    let decisions = try execute(
      """
      DELETE FROM refund_decision WHERE (app, environment, id) IN (
        SELECT app, environment, id FROM refund_decision WHERE app = $1 AND received < $2 ORDER BY received LIMIT 1000)
      """, app, date)
    return max(requests, decisions)
  }
}
