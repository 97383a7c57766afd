import GRDB
import StoreModel

extension StoreUnitOfWork {
  var events: StoreEvents { StoreEvents(work: self) }
}

/// Records events. The commit of a unit of work contains its changes, their events, and the projections of these.
struct StoreEvents {
  let work: StoreUnitOfWork

  func record(_ event: StoreEvent) throws {
    let audience = try DeviceFeed(database: work.database).append(event)
    let place = try place(of: event)
    let subject = subject(of: event)
    try work.database.cachedStatement(
      sql: """
        INSERT INTO storeEvent (environment, account, bundleID, kind, version, transactionID, originalTransactionID,
          place, recordNumber, date, content, audience, isFilledIn)
        VALUES (?, ?, ?, ?, \(StoreEventKind.version), ?, ?, ?, ?, ?, ?, ?, FALSE)
        """
    ).execute(arguments: [
      subject.environment.rawValue, subject.account?.rawValue, subject.bundleID?.rawValue, event.kind.rawValue,
      subject.transactionID?.rawValue, subject.originalTransactionID?.rawValue, place?.place.rawValue, place?.number,
      date(of: event).millisecondsSince1970, try event.content.json(), try audience?.json(),
    ])
    work.note(RecordedEvent(sequence: work.database.lastInsertedRowID, event: event), wakesDevices: audience != nil)
  }

  private struct Subject {
    let environment: StoreEnvironment
    var account: AccountName?
    var bundleID: BundleID?
    var transactionID: TransactionID?
    var originalTransactionID: TransactionID?
  }

  private func subject(of event: StoreEvent) -> Subject {
    if let stored = event.transaction {
      return Subject(
        environment: stored.record.environment, account: stored.account, bundleID: stored.record.bundleID,
        transactionID: stored.record.transactionID, originalTransactionID: stored.record.originalTransactionID)
    }
    switch event {
    case .subscription(_, let row, _):
      return Subject(
        environment: row.environment, account: row.account, bundleID: row.bundleID,
        transactionID: row.currentTransactionID, originalTransactionID: row.originalTransactionID)
    case .refused(let payment, let installation), .approvalAsked(let payment, let installation),
      .approvalDecided(let payment, let installation):
      return Subject(
        environment: installation.environment, account: payment.account, bundleID: installation.bundleID)
    case .customerStorefrontChanged(let customer):
      return Subject(environment: customer.environment, account: customer.name)
    case .massExtensionCompleted(let row):
      return Subject(environment: row.environment, bundleID: row.bundleID)
    default:
      guard let installation = event.installation else { preconditionFailure("\(event.kind) has no subject") }
      return Subject(environment: installation.environment, bundleID: installation.bundleID)
    }
  }

  /// The date of the event as the timeline shows it.
  private func date(of event: StoreEvent) -> StoreDate {
    switch event {
    case .added(let stored): stored.record.purchaseDate
    case .redelivered(let redelivery, _): redelivery.date
    case .refunded, .refundReversed, .upgraded, .shareRevoked: work.now.wholeSeconds
    case .refused(let payment, _), .approvalAsked(let payment, _): payment.decisionDate
    default: work.now
    }
  }

  /// The place in the customer's timeline, and the number of the row that it shows there.
  private func place(of event: StoreEvent) throws -> (place: TimelinePlace, number: Int64)? {
    let number: Int64
    var isPaid = true
    switch event {
    case .added(let stored), .shareRevoked(let stored, _): number = stored.sequence
    case .redelivered(let redelivery, _): number = redelivery.sequence
    case .refunded(let stored, let refund, _), .refundReversed(let stored, let refund),
      .upgraded(let stored, let refund, _):
      isPaid = refund != nil
      number = refund ?? stored.sequence
    case .subscription(_, _, let step): number = step
    case .refused(let payment, _), .approvalAsked(let payment, _), .approvalDecided(let payment, _):
      number = try payment.number(work.database)
    default: return nil
    }
    return event.kind.place(isPaid: isPaid).map { ($0, number) }
  }
}
