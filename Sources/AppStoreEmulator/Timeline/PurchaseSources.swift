import StoreModel

/// The records of a purchase, from which its timeline is made.
struct PurchaseSources: Sendable {
  let details: TransactionDetails
  /// The payment that bought the purchase; nil if there is none, such as for a renewal or a purchase outside an app.
  let payment: PaymentRow?
  /// For each redelivery, its date with milliseconds, from its payment; nil without a payment. The date of the redelivery
  /// itself has whole seconds.
  let redelivered: [StoreDate?]
  /// The customer's requests for a refund, oldest first.
  let refundRequests: [RequestedRefund]

  private var stored: StoredTransaction { details.stored }

  /// The entries of the timeline, oldest first.
  ///
  /// - Parameter requests: the requests of the journal, in their order.
  func timeline(requests: [JournaledRequest]) -> [TimelineEntry] {
    var steps = recorded
    let (payments, deliveries) = (payments, deliveries)
    steps += requests.filter { isMeant($0, payments, deliveries) }.map { Step($0.date, .request, .request($0)) }
    // Compares the offset as well, so that equal steps stay in the order of the records.
    return steps.enumerated().sorted {
      ($0.element.millisecond, $0.element.rank, $0.offset) < ($1.element.millisecond, $1.element.rank, $1.offset)
    }.map { TimelineEntry(date: $0.element.date, event: $0.element.event) }
  }

  /// The order of steps that happened in the same millisecond.
  private enum Rank: Int {
    case request, wait, approval, purchase, delivery, finish
  }

  private struct Step {
    let date: StoreDate
    let event: TimelineEntry.Event
    /// The sort key.
    let millisecond: Int64
    let rank: Int

    /// - Parameters:
    ///   - earliest: the earliest possible date of the step, for sorting. It is needed because `date` may be rounded
    ///     down to whole seconds.
    ///   - isLast: whether the step is sorted to the end of the second that begins at `date`.
    init(
      _ date: StoreDate, _ rank: Rank, _ event: TimelineEntry.Event, earliest: StoreDate? = nil, isLast: Bool = false
    ) {
      self.date = date
      self.event = event
      millisecond = max(date, earliest ?? date).millisecondsSince1970 + (isLast ? 999 : 0)
      self.rank = rank.rawValue
    }
  }

  private var recorded: [Step] {
    [purchase] + approval + finishes
      + zip(details.redeliveries, redelivered).map { redelivery, date in
        Step(date ?? redelivery.date, .delivery, .redelivered(redelivery), isLast: date == nil)
      }
      + details.shares.map {
        Step(
          $0.record.purchaseDate, .delivery, .sharedWith($0.account, $0.record.transactionID), earliest: purchaseDate)
      }
      + refundRequests.flatMap(steps) + refunds
  }

  private func steps(of request: RequestedRefund) -> [Step] {
    [Step(request.date, .finish, .refundRequested(request))]
      + [request.decisionDate.map { Step($0, .finish, .refundDecided(request)) }].compactMap(\.self)
  }

  /// The purchase date, with milliseconds if the payment has them.
  private var purchaseDate: StoreDate {
    payment?.exactDate(of: stored.record.purchaseDate) ?? stored.record.purchaseDate
  }

  private var purchase: Step {
    Step(
      purchaseDate, .purchase,
      stored.sharedTransactionID.map { .shared(of: $0) } ?? .purchased(details.charge))
  }

  private var approval: [Step] {
    guard let payment, payment.approvalDate != nil || payment.decisionDate.wholeSeconds < stored.record.purchaseDate
    else { return [] }
    return [
      Step(payment.decisionDate, .wait, .approvalAwaited(payment.paymentID, payment.installationID)),
      Step(purchaseDate, .approval, .approved),
    ]
  }

  private var finishes: [Step] {
    let own = stored.finishedDate.map {
      Step($0, .finish, .finished(stored.record.transactionID, stored.installationID))
    }
    return [own].compactMap(\.self)
      + details.redeliveries.compactMap { redelivery in
        redelivery.finishedDate.map {
          Step($0, .finish, .finished(redelivery.transactionID, redelivery.installationID))
        }
      }
  }

  private var refunds: [Step] {
    var steps = details.refunds.map {
      Step($0.date, .finish, $0.amount < .zero ? .refundReversed($0) : .refunded($0), isLast: true)
    }
    if let date = stored.record.revocationDate,
      !details.refunds.contains(where: { $0.date == date && $0.amount > .zero })
    {
      steps.append(Step(date, .finish, .revoked(stored.record.revocationType), isLast: true))
    }
    return steps
  }

  // MARK: Requests of the purchase

  private func isMeant(
    _ request: JournaledRequest, _ payments: Set<RequestedPayment>, _ deliveries: [InstallationID: [RequestedDelivery]]
  ) -> Bool {
    let metadata = request.metadata
    guard let installation = metadata.installationID else { return false }
    switch metadata.kind {
    case .device(.quote), .device(.confirm):
      return metadata.paymentID.map { payments.contains(RequestedPayment(installation: installation, payment: $0)) }
        ?? false
    case .device(.finish):
      return deliveries[installation]?.contains { $0.transaction == metadata.transactionID } ?? false
    case .device(.unfinished):
      return deliveries[installation]?.contains {
        $0.made <= request.date && $0.finished.map { request.date <= $0 } ?? true
      } ?? false
    default: return false
    }
  }

  private struct RequestedPayment: Hashable {
    let installation: InstallationID
    let payment: PaymentID
  }

  private struct RequestedDelivery {
    let transaction: TransactionID
    /// The date of the purchase or redelivery.
    let made: StoreDate
    /// The date at which the app finished the transaction.
    let finished: StoreDate?
  }

  /// The payments of the purchase, with their identifiers as in the journal.
  private var payments: Set<RequestedPayment> {
    let all =
      [(stored.installationID, stored.paymentID)] + details.redeliveries.map { ($0.installationID, $0.paymentID) }
    return Set(
      all.compactMap { installation, payment in
        guard let installation, let payment else { return nil }
        let metadata = RequestMetadata(.device(.confirm), installationID: installation, paymentID: payment).bounded
        return metadata.installationID.flatMap { id in
          metadata.paymentID.map { RequestedPayment(installation: id, payment: $0) }
        }
      })
  }

  /// The deliveries of the purchase, by the installation as it is in the journal.
  private var deliveries: [InstallationID: [RequestedDelivery]] {
    let own = stored.installationID.map {
      (
        $0,
        RequestedDelivery(transaction: stored.record.transactionID, made: purchaseDate, finished: stored.finishedDate)
      )
    }
    let again = details.redeliveries.map {
      ($0.installationID, RequestedDelivery(transaction: $0.transactionID, made: $0.date, finished: $0.finishedDate))
    }
    return ([own].compactMap(\.self) + again).reduce(into: [:]) { found, delivery in
      let metadata = RequestMetadata(.device(.finish), installationID: delivery.0).bounded
      found[metadata.installationID ?? delivery.0, default: []].append(delivery.1)
    }
  }
}

extension PaymentRow {
  /// Returns the date at which the payment was decided, with milliseconds.
  ///
  /// - Parameter rounded: the same date in whole seconds. Nil is returned if it differs, because an earlier version did not
  ///   store the date of approval.
  func exactDate(of rounded: StoreDate) -> StoreDate? {
    let decided = approvalDate ?? decisionDate
    return decided.wholeSeconds == rounded ? decided : nil
  }
}
