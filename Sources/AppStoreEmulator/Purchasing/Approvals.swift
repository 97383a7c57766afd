import GRDB
import StoreModel

extension StoreUnitOfWork {
  var approvals: Approvals { Approvals(work: self) }
}

/// A confirmed payment that waits for approval (Ask to Buy).
public struct PendingApproval: Hashable, Sendable {
  public let installationID: InstallationID
  public let payment: PaymentRequest
  public let account: AccountName
  /// The confirmed total, which is charged after the approval even if the price changes.
  public let total: Price
  /// The date of the confirmation.
  public let date: StoreDate
}

extension PendingApproval {
  /// Returns nil for a row of the first version, which did not store the quote.
  init?(_ row: PaymentRow) {
    guard let quote = row.quote else { return nil }
    self.init(
      installationID: row.installationID, payment: row.request, account: row.account, total: quote.total,
      date: row.decisionDate)
  }
}

/// Confirmed payments that wait for approval (Ask to Buy).
struct Approvals {
  let work: StoreUnitOfWork

  /// Approves or declines a payment that waits for approval.
  ///
  /// - Returns: the transaction that was charged or redelivered; nil if the payment was declined or refused.
  /// - Throws: ``AppStoreEmulatorError/noSuchApproval(_:_:)``.
  func decide(
    _ paymentID: PaymentID, on installationID: InstallationID, isApproved: Bool
  ) throws -> StoredTransaction? {
    guard let row = try PaymentRow.fetch(paymentID, of: installationID, in: work.database), row.outcome == .waiting,
      let quote = row.quote
    else { throw AppStoreEmulatorError.noSuchApproval(installationID, paymentID) }
    let installation = try work.installations.installation(installationID)
    let ownership = work.ownership(Scope(row.account, on: installation))
    let owned = try ownership.transaction(owning: quote)
    if let refusal = try refusal(of: quote, ownership, isOwned: owned != nil, isApproved: isApproved) {
      try decide(row, .refused(refusal), isOwned: owned != nil)
      if refusal.code == .purchaseInterrupted { try work.interruptedPurchases.add(paymentID, on: installationID) }
      return nil
    }
    let fulfilment = try work.fulfilments.fulfil(quote, for: installation, owning: owned)
    try decide(row, .purchased(fulfilment.transactionID), isOwned: owned != nil)
    return fulfilment.stored
  }

  private func decide(_ waiting: PaymentRow, _ outcome: PaymentRow.Outcome, isOwned: Bool = false) throws {
    var payment = waiting
    payment.approvalDate = work.now
    payment.decide(outcome)
    try payment.update(work.database)
    let installation = try work.installations.installation(payment.installationID)
    try work.events.record(.approvalDecided(payment, installation))
    try work.offerSignatures.settle(
      payment.request, outcome, after: waiting.outcome, isOwned: isOwned, Scope(payment.account, on: installation))
  }

  /// The reason to refuse the payment now. Nil if it was approved, and either can be charged or is for a product that the
  /// customer already owns.
  private func refusal(
    of quote: PaymentQuote, _ ownership: Ownership, isOwned: Bool, isApproved: Bool
  ) throws -> StoreRefusal? {
    let scope = ownership.scope
    let customer = try work.customers.customer(scope.account, scope.environment).customer
    let product = try work.catalog.productOnSale(quote.payment.productID, of: scope.bundleID)
    let refusal = PurchaseDecision.refusal(
      of: quote, isApproved: isApproved, isOwned: isOwned, isForSale: product != nil,
      paymentMethod: customer.paymentMethod)
    if refusal != nil || isOwned { return refusal }
    return try product.flatMap { try work.planChanges.refusal(of: quote, for: $0, scope) }
  }
}

/// Declines payments that were not approved before their deadline.
extension Approvals: DueRows {
  static func earliestDate(in database: Database) throws -> StoreDate? {
    try earliestDate(of: "approvalDeadline", in: "payment", database)
  }

  func settleEarliest() throws {
    guard let payment = try earliest() else { return }
    try decide(payment, .refused(.approvalTimedOut))
  }

  func postponeEarliest() throws {
    guard var payment = try earliest() else { return }
    payment.decide(.waiting)
    try payment.update(work.database)
  }

  private func earliest() throws -> PaymentRow? {
    try PaymentRow.filter(Column("approvalDeadline") != nil).order(Column("approvalDeadline"), Column.rowID)
      .fetchOne(work.database)
  }
}

extension StoreRefusal {
  fileprivate static let approvalTimedOut = StoreRefusal(
    .approvalDeclined, "The purchase was not approved within 24 hours. Nothing was charged.")
}
