import Foundation
import GRDB
import StoreModel

extension StoreUnitOfWork {
  var interruptedPurchases: InterruptedPurchases { InterruptedPurchases(work: self) }
}

/// Payments that failed because the customer's payment method needs attention. The store buys the products when the
/// payment method is valid again.
struct InterruptedPurchases {
  let work: StoreUnitOfWork

  /// Records a refused payment, whose product the store buys later.
  func add(_ paymentID: PaymentID, on installationID: InstallationID) throws {
    try InterruptedPurchase(installationID: installationID, paymentID: paymentID).insert(work.database)
  }

  /// Makes the customer's interrupted purchases due now.
  ///
  /// If an installation has several attempts to buy the same product, only the last one is bought, because customers
  /// repeat a refused purchase.
  func resume(of account: AccountName, _ environment: StoreEnvironment) throws {
    for payment in try removeSuperseded(of: account, environment) {
      try InterruptedPurchase(
        installationID: payment.installationID, paymentID: payment.paymentID, dueDate: work.now
      ).update(work.database)
    }
  }

  /// Makes one interrupted purchase due now, whatever the customer's payment method is.
  ///
  /// - Returns: false if the payment was not interrupted, or its product was bought since.
  func resume(_ paymentID: PaymentID, on installationID: InstallationID) throws -> Bool {
    let row = InterruptedPurchase(installationID: installationID, paymentID: paymentID, dueDate: work.now)
    guard try row.exists(work.database) else { return false }
    try row.update(work.database)
    return true
  }

  /// Makes the customer's interrupted purchases wait for approval, because the customer needs approval from now on.
  ///
  /// Each purchase becomes a new payment, because the failed payment stays failed. If an approved payment is
  /// interrupted later, it does not wait for approval again.
  func submitForApproval(of account: AccountName, _ environment: StoreEnvironment) throws {
    for row in try removeSuperseded(of: account, environment) {
      try remove(row)
      var paymentID = row.paymentID
      repeat {
        paymentID = PaymentID("\(paymentID) resumed")
      } while try PaymentRow.fetch(paymentID, of: row.installationID, in: work.database) != nil
      guard let quote = row.quote?.answering(paymentID) else {
        try giveUp(row, Self.noQuote)
        continue
      }
      let payment = PaymentRow(
        installationID: row.installationID, quote: quote, decisionDate: work.now, outcome: .waiting)
      try payment.insert(work.database)
      try work.events.record(.approvalAsked(payment, try work.installations.installation(row.installationID)))
    }
  }

  /// Removes all but the last attempt for each product on each installation, and returns the last attempts, oldest
  /// first.
  private func removeSuperseded(of account: AccountName, _ environment: StoreEnvironment) throws -> [PaymentRow] {
    let rows = try PaymentRow.fetchAll(
      work.database,
      sql: """
        SELECT payment.* FROM payment
        JOIN interruptedPurchase USING (installationID, paymentID) JOIN installation USING (installationID)
        WHERE payment.account = ? AND installation.environment = ? ORDER BY decisionDate, payment.rowid
        """,
      arguments: [account.rawValue, environment.rawValue])
    var attempts: Set<[String]> = []
    var last: [PaymentRow] = []
    for row in rows.reversed() {
      if attempts.insert([row.installationID.rawValue, row.request.productID.rawValue]).inserted {
        last.append(row)
      } else {
        try remove(row)
        try releaseSignature(of: row)
      }
    }
    return last.reversed()
  }

  private static let noQuote = "the first version of the store stored it, without the quote"

  /// Reports that a purchase, which was removed, is not made. Its offer's signature can be used again.
  private func giveUp(_ payment: PaymentRow, _ reason: String) throws {
    try releaseSignature(of: payment)
    work.afterCommit(
      .report(.interruptedPurchaseGivenUp(payment.installationID, payment.paymentID, reason: reason)))
  }

  private func releaseSignature(of payment: PaymentRow) throws {
    let installation = try work.installations.installation(payment.installationID)
    try work.offerSignatures.release(payment.request, Scope(payment.account, on: installation))
  }

  private func remove(_ payment: PaymentRow) throws {
    _ = try InterruptedPurchase(installationID: payment.installationID, paymentID: payment.paymentID)
      .delete(work.database)
  }
}

/// Buys interrupted purchases as soon as the payment method is valid again.
extension InterruptedPurchases: DueRows {
  static func earliestDate(in database: Database) throws -> StoreDate? {
    try earliestDate(of: "dueDate", in: "interruptedPurchase", database)
  }

  /// Buys the product in a separate transaction, because the payment stays failed. A product that is no longer for sale
  /// is not bought, which is reported.
  ///
  /// - Throws: ``StoreRefusal`` if the transaction could not be signed.
  func settleEarliest() throws {
    guard let purchase = try earliest() else { return }
    try purchase.delete(work.database)
    let installation = try work.installations.installation(purchase.installationID)
    guard let payment = try PaymentRow.fetch(purchase.paymentID, of: purchase.installationID, in: work.database) else {
      return
    }
    guard let quote = payment.quote?.answering(.noPayment) else { return try giveUp(payment, Self.noQuote) }
    guard let product = try work.catalog.productOnSale(quote.payment.productID, of: installation.bundleID) else {
      return try giveUp(payment, "\(quote.payment.productID) is not for sale")
    }
    // Buys nothing if the customer's subscription has changed meanwhile.
    let scope = Scope(quote.account, on: installation)
    if let refusal = try work.planChanges.refusal(of: quote, for: product, scope) {
      return try giveUp(payment, refusal.message)
    }
    // Buys at the current date, for the confirmed price.
    let owned = try work.ownership(scope).transaction(owning: quote)
    let fulfilment = try work.fulfilments.fulfil(quote, for: installation, owning: owned)
    if owned != nil { try releaseSignature(of: payment) }
    try work.events.record(.resumed(fulfilment.stored, installationID: purchase.installationID))
  }

  func postponeEarliest() throws {
    guard var purchase = try earliest() else { return }
    purchase.dueDate = nil
    try purchase.update(work.database)
  }

  private func earliest() throws -> InterruptedPurchase? {
    try InterruptedPurchase.filter(Column("dueDate") != nil).order(Column("dueDate"), Column.rowID)
      .fetchOne(work.database)
  }
}

extension PaymentQuote {
  /// The same quote for another payment id.
  fileprivate func answering(_ paymentID: PaymentID) -> PaymentQuote {
    PaymentQuote(
      payment: PaymentRequest(
        paymentID: paymentID, productID: payment.productID, quantity: payment.quantity,
        applicationUsername: payment.applicationUsername, offer: payment.offer,
        introductoryEligibility: payment.introductoryEligibility),
      account: account, displayName: displayName, unitPrice: unitPrice, total: total, plan: plan,
      storefrontCountryCode: storefrontCountryCode, localeIdentifier: localeIdentifier, epoch: epoch,
      authenticationCode: Data())
  }
}
