import GRDB
import StoreModel

extension StoreUnitOfWork {
  var events: StoreEvents { StoreEvents(work: self) }
}

/// Records events. The commit of a unit of work contains its changes, their events, and the projections of these.
struct StoreEvents {
  let work: StoreUnitOfWork

  func record(_ event: StoreEvent) throws {
    assert(StoreEventKind(rawValue: event.kind.rawValue) != nil, "\(event.kind) is missing in StoreEventKind.allCases")
    let audience = try DeviceFeed(database: work.database).append(event)
    let place = try place(of: event)
    let reference = Reference(event.subject)
    try work.database.cachedStatement(
      sql: """
        INSERT INTO storeEvent (environment, account, bundleID, kind, version, transactionID, originalTransactionID,
          place, recordNumber, date, content, audience, isFilledIn)
        VALUES (?, ?, ?, ?, \(StoreEventKind.version), ?, ?, ?, ?, ?, ?, ?, FALSE)
        """
    ).execute(arguments: [
      reference.environment.rawValue, reference.account?.rawValue, reference.bundleID?.rawValue, event.kind.rawValue,
      reference.transactionID?.rawValue, reference.originalTransactionID?.rawValue, place?.place.rawValue,
      place?.number,
      date(of: event).millisecondsSince1970, try event.content.json(), try audience?.json(),
    ])
    work.note(RecordedEvent(sequence: work.database.lastInsertedRowID, event: event), wakesDevices: audience != nil)
  }

  /// The columns that say whom and what an event concerns.
  private struct Reference {
    let environment: StoreEnvironment
    var account: AccountName?
    var bundleID: BundleID?
    var transactionID: TransactionID?
    var originalTransactionID: TransactionID?

    init(_ subject: StoreEvent.Subject) {
      switch subject {
      case .transaction(let stored):
        environment = stored.record.environment
        (account, bundleID) = (stored.account, stored.record.bundleID)
        (transactionID, originalTransactionID) = (stored.record.transactionID, stored.record.originalTransactionID)
      case .subscription(let row):
        environment = row.environment
        (account, bundleID) = (row.account, row.bundleID)
        (transactionID, originalTransactionID) = (row.currentTransactionID, row.originalTransactionID)
      case .payment(let payment, let installation):
        environment = installation.environment
        (account, bundleID) = (payment.account, installation.bundleID)
      case .customer(let customer): (environment, account) = (customer.environment, customer.name)
      case .installation(let installation):
        (environment, bundleID) = (installation.environment, installation.bundleID)
      case .app(let app, let environment): (self.environment, bundleID) = (environment, app)
      }
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
