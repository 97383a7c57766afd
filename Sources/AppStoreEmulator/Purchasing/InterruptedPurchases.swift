import Foundation
import GRDB
import StoreModel

extension StoreUnitOfWork {
  var interruptedPurchases: InterruptedPurchases { InterruptedPurchases(work: self) }
}

/// Purchases that failed because the customer had to settle something with the store first.
struct InterruptedPurchases {
  let work: StoreUnitOfWork

  /// Records that a payment, which is refused now, is to be bought later.
  func add(_ paymentID: PaymentID, on installationID: InstallationID) throws {
    try work.database.execute(
      sql: "INSERT INTO interruptedPurchase (installationID, paymentID) VALUES (?, ?)",
      arguments: [installationID.rawValue, paymentID.rawValue])
  }

  /// Buys the customer's interrupted purchases, each as a transaction of its own, because the payment has failed and stays failed.
  ///
  /// Products that are no longer for sale are not bought. Of several attempts to buy the same product on one installation the last
  /// counts, because a customer who is refused tries again.
  ///
  /// - Throws: ``StoreRefusal`` if a transaction could not be signed.
  func resume(of account: AccountName, _ environment: StoreEnvironment) throws {
    for row in try take(of: account, environment) {
      let installation = try work.installations.installation(row.installationID)
      guard let quote = row.quote?.answering(""),
        let product = try work.catalog.productOnSale(quote.payment.productID, of: installation.bundleID)
      else { continue }
      let ownership = work.ownership(Scope(account, on: installation))
      // The customer subscribed meanwhile, to this or another plan of the group.
      if try ownership.refusalOfSecondSubscription(to: product) != nil { continue }
      // A purchase of now, at the price that was confirmed.
      _ = try work.fulfilments.fulfil(quote, for: installation)
      try work.deviceNotifier.notify(row.installationID, StoreChange(.transactionsWaiting))
    }
  }

  /// Has the customer's interrupted purchases wait for approval, because the customer needs it from now on.
  ///
  /// Each becomes another payment, since the one that failed stays failed. A purchase that is interrupted later was approved before,
  /// and does not wait again.
  func submitForApproval(of account: AccountName, _ environment: StoreEnvironment) throws {
    for row in try take(of: account, environment) {
      var paymentID = row.paymentID
      repeat {
        paymentID = PaymentID("\(paymentID) resumed")
      } while try PaymentRow.fetch(paymentID, of: row.installationID, in: work.database) != nil
      guard let quote = row.quote?.answering(paymentID) else { continue }
      try PaymentRow(installationID: row.installationID, quote: quote, decisionDate: work.now, outcome: .waiting)
        .insert(work.database)
    }
  }

  /// Removes the customer's interrupted purchases, and returns the last attempt for each product on each installation.
  private func take(of account: AccountName, _ environment: StoreEnvironment) throws -> [PaymentRow] {
    let rows = try PaymentRow.fetchAll(
      work.database,
      sql: """
        SELECT payment.* FROM payment
        JOIN interruptedPurchase USING (installationID, paymentID) JOIN installation USING (installationID)
        WHERE payment.account = ? AND installation.environment = ? ORDER BY decisionDate, payment.rowid
        """,
      arguments: [account.rawValue, environment.rawValue])
    for row in rows {
      try work.database.execute(
        sql: "DELETE FROM interruptedPurchase WHERE installationID = ? AND paymentID = ?",
        arguments: [row.installationID.rawValue, row.paymentID.rawValue])
    }
    return rows.enumerated().filter { index, row in
      !rows[(index + 1)...].contains {
        $0.installationID == row.installationID && $0.request.productID == row.request.productID
      }
    }.map(\.element)
  }
}

extension PaymentQuote {
  /// The same charge, answering another payment; none if the id is empty.
  fileprivate func answering(_ paymentID: PaymentID) -> PaymentQuote {
    PaymentQuote(
      payment: PaymentRequest(
        paymentID: paymentID, productID: payment.productID, quantity: payment.quantity,
        applicationUsername: payment.applicationUsername),
      account: account, displayName: displayName, unitPrice: unitPrice, total: total,
      storefrontCountryCode: storefrontCountryCode, localeIdentifier: localeIdentifier, epoch: epoch,
      authenticationCode: Data())
  }
}
