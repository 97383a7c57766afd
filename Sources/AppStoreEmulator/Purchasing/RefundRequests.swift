import AppStoreServerAPI
import GRDB
import StoreModel

extension StoreUnitOfWork {
  var refundRequests: RefundRequests { RefundRequests(work: self) }
}

/// Refunds that customers ask for, and the decisions.
struct RefundRequests {
  let work: StoreUnitOfWork

  /// The maximum number of requests that are listed: the newest.
  static let largestNumber = 100

  /// The customer asks for a refund. The App Store asks the developer's server for information (`CONSUMPTION_REQUEST`), and switches
  /// the renewal of a subscription off.
  ///
  /// - Throws: ``AppStoreEmulatorError``.
  func ask(_ id: TransactionID, reason: ConsumptionRequestReason) throws -> RequestedRefund {
    let stored = try work.refunds.refundable(id)
    guard try requests(of: id).allSatisfy({ $0.outcome != nil }) else {
      throw AppStoreEmulatorError.refundRequestImpossible(id, reason: "an earlier one is not decided yet")
    }
    var row = RefundRequestRow(transactionID: id, reason: reason.rawValue, date: work.now)
    try row.insert(work.database)
    try work.events.record(.refundRequested(stored, reason))
    if let subscription = try work.subscriptions.find(stored.record), subscription.state.state == .active,
      subscription.state.isAutoRenewOn
    {
      try work.subscriptionEffects.apply(.autoRenewChanged(isOn: false), to: subscription)
    }
    return try request(row)
  }

  /// The signed-in customer of an installation asks for a refund.
  ///
  /// - Throws: ``StoreRefusal``: also `refundNotPossible`, and `refundRequested` while an earlier request is not decided.
  func ask(_ id: TransactionID, reason: RefundReason, on installation: Installation) throws {
    guard let account = installation.account else {
      throw StoreRefusal(.signInRequired, "Sign in to request a refund.")
    }
    guard let stored = try StoredTransaction.lookUp(["transactionID": id.rawValue], in: work.database),
      Scope(stored) == Scope(account, on: installation)
    else { throw StoreRefusal(.unknownTransaction, "This customer has no transaction \(id) in this app.") }
    do {
      _ = try ask(id, reason: ConsumptionRequestReason(reason))
    } catch AppStoreEmulatorError.refundRequestImpossible {
      throw StoreRefusal(.refundRequested, "A refund of this purchase was requested before, and is not decided yet.")
    } catch AppStoreEmulatorError.notRefundable(_, let reason) {
      throw StoreRefusal(.refundNotPossible, "This purchase cannot be refunded: \(reason).")
    }
  }

  /// Decides a request.
  ///
  /// - Parameters:
  ///   - number: the number of the request.
  ///   - percentage: the refunded share of the price, in thousandths of a percent. Needed for ``RequestedRefund/Outcome/prorated``
  ///     only.
  /// - Throws: ``AppStoreEmulatorError``.
  func decide(
    _ number: Int64, of id: TransactionID, _ outcome: RequestedRefund.Outcome, percentage: Int?
  ) throws -> RequestedRefund {
    guard var row = try RefundRequestRow.fetchOne(work.database, key: number), row.transactionID == id else {
      throw AppStoreEmulatorError.unknownRefundRequest(number)
    }
    guard row.outcome == nil else {
      throw AppStoreEmulatorError.refundRequestImpossible(id, reason: "it was decided before")
    }
    guard (outcome == .prorated) == (percentage != nil) else {
      throw AppStoreEmulatorError.refundRequestImpossible(
        id, reason: "a percentage belongs to the outcome prorated, and only to that")
    }
    if let percentage, !(1..<Percentage.whole).contains(percentage) {
      throw AppStoreEmulatorError.refundOutOfRange(percentage)
    }
    if outcome == .declined {
      (row.outcome, row.decisionDate) = (outcome.rawValue, work.now)
      try row.update(work.database)
      try work.events.record(.refundDeclined(work.storedTransaction(id)))
    } else {
      _ = try work.refunds.refund(
        id, reason: RequestedRefund(row).reason.revocationReason, percentage: percentage ?? Percentage.whole)
    }
    return try request(RefundRequestRow.fetchOne(work.database, key: number) ?? row)
  }

  /// The requests of a transaction, oldest first, with the information of the developer's server.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``.
  func list(_ id: TransactionID) throws -> [RequestedRefund] {
    guard try StoredTransaction.lookUp(["transactionID": id.rawValue], in: work.database) != nil else {
      throw AppStoreEmulatorError.unknownTransaction(id)
    }
    return try requests(of: id).map(request)
  }

  private func requests(of id: TransactionID) throws -> [RefundRequestRow] {
    try RefundRequestRow.filter(Column("transactionID") == id.rawValue).order(Column("number").desc)
      .limit(Self.largestNumber).fetchAll(work.database).reversed()
  }

  private func request(_ row: RefundRequestRow) throws -> RequestedRefund {
    var request = RequestedRefund(row)
    request.consumption = try ConsumptionInformationRow.lookUp(
      ["transactionID": row.transactionID.rawValue], in: work.database
    ).map(ConsumptionInformation.init)
    return request
  }
}

extension ConsumptionRequestReason {
  fileprivate init(_ reason: RefundReason) {
    self =
      switch reason {
      case .unintendedPurchase: .unintendedPurchase
      case .fulfillmentIssue: .fulfillmentIssue
      case .unsatisfiedWithPurchase: .unsatisfiedWithPurchase
      case .legal: .legal
      case .other: .other
      }
  }

  /// The reason of a refund for this request.
  fileprivate var revocationReason: RevocationReason {
    switch self {
    case .fulfillmentIssue, .unsatisfiedWithPurchase: .issueWithApp
    case .unintendedPurchase, .legal, .other: .other
    }
  }
}
