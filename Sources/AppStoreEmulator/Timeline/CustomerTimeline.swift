import GRDB
import StoreModel

/// The timeline of a customer: events of the records, and requests of the journal that were refused or failed.
struct CustomerTimeline {
  let work: StoreUnitOfWork
  let account: AccountName
  let environment: StoreEnvironment

  /// A page of the timeline, newest event first.
  ///
  /// - Parameters:
  ///   - skipped: the number of newer events that are not on the page.
  ///   - limit: the maximum number of events on the page.
  ///   - requests: the customer's requests in the journal.
  func page(skipping skipped: Int, limit: Int, requests: [JournaledRequest]) throws -> CustomerEventPage {
    let failed = try requests.filter(isFailure).map {
      (key: CustomerEventKey(.refusal, $0.date, number: $0.sequence), request: JournaledRequest?.some($0))
    }
    let recorded = try CustomerEventKey.newest(skipped + limit + 1, of: account, environment, in: work.database)
    let all = (recorded.map { (key: $0, request: JournaledRequest?.none) } + failed).sorted { $0.key > $1.key }
    let rest = all.dropFirst(skipped)
    var subscriptions: [TransactionID: RenewalRecord] = [:]
    let events = try rest.prefix(limit).map { key, request in
      CustomerEvent(
        date: key.date, kind: try request.map { .request($0) } ?? event(key, subscriptions: &subscriptions))
    }
    return CustomerEventPage(events: events, hasMore: rest.count > limit)
  }

  // MARK: Requests

  /// Whether a request was refused or failed, and no record shows it.
  private func isFailure(_ request: JournaledRequest) throws -> Bool {
    // A request that waits for changes fails whenever the device's app ends, so its failure is not shown.
    guard request.metadata.kind != .device(.changes) else { return false }
    switch request.outcome {
    case .underWay, .answered, .status(0): return false
    case .status, .serverError, .noAnswer, .failed: return true
    case .refused: return try !isRecorded(request.metadata)
    }
  }

  /// Whether the refusal of a confirmation is stored with its payment.
  private func isRecorded(_ metadata: RequestMetadata) throws -> Bool {
    guard metadata.kind == .device(.confirm), let payment = metadata.paymentID,
      let installation = metadata.installationID,
      let row = try PaymentRow.fetch(payment, of: installation, in: work.database), case .refused = row.outcome
    else { return false }
    return true
  }

  // MARK: Records

  private func event(
    _ key: CustomerEventKey, subscriptions: inout [TransactionID: RenewalRecord]
  ) throws -> CustomerEvent.Kind {
    switch key.place {
    case .refusal: return .refused(try payment(key))
    case .approvalAsked: return .approvalAsked(try payment(key))
    case .approvalDecided: return .approvalDecided(try payment(key))
    case .transaction:
      let stored = try row(key.number, StoredTransaction.self)
      return .transaction(
        stored, try Charge.lookUp(["transactionID": stored.record.transactionID.rawValue], in: work.database))
    case .revocation: return .revoked(try row(key.number, StoredTransaction.self))
    case .redelivery:
      let redelivery = try row(key.number, Redelivery.self)
      return .redelivered(redelivery, of: try work.listing.details(redelivery.recordID).stored)
    case .refund:
      let refund = try row(key.number, Refund.self)
      return refund.amount < .zero ? .refundReversed(refund) : .refunded(refund)
    case .subscription:
      let step = try row(key.number, SubscriptionStepRow.self)
      let original = step.originalTransactionID
      let details = try subscriptions[original] ?? RenewalRecord(work.subscriptions.subscription(original))
      subscriptions[original] = details
      return .subscription(step.step, details)
    }
  }

  private func payment(_ key: CustomerEventKey) throws -> CustomerPayment {
    let content = try StoreEventContent(json: key.content)
    guard let payment = content.paymentID, let installation = content.installationID,
      let row = try PaymentRow.fetch(payment, of: installation, in: work.database)
    else { throw DatabaseError(message: "The payment of event \(key.number) is missing.") }
    return CustomerPayment(row, of: try work.installations.installation(installation).bundleID)
  }

  private func row<Record: FetchableRecord & TableRecord>(_ number: Int64, _ type: Record.Type) throws -> Record {
    let statement = try work.database.cachedStatement(
      sql: "SELECT * FROM \(Record.databaseTableName) WHERE rowid = ?")
    guard let record = try Record.fetchOne(statement, arguments: [number]) else {
      throw DatabaseError(message: "\(Record.databaseTableName) has no row \(number).")
    }
    return record
  }
}
