import Foundation
import GRDB
import StoreModel

/// Purchases that could not be made before the customer had settled something with the store.
extension EmulatedAppStore {
  /// Remembers that a payment, refused now, is to be bought later.
  static func interrupt(
    _ paymentID: PaymentID, on installationID: InstallationID, in database: Database
  ) throws {
    try database.execute(
      sql: "INSERT INTO interruptedPurchase (installationID, paymentID) VALUES (?, ?)",
      arguments: [installationID.rawValue, paymentID.rawValue])
  }

  /// Buys what was interrupted: as a transaction of its own, because the payment has failed and stays so.
  ///
  /// What is no longer for sale is not bought. Of several attempts to buy the same product on one installation the last
  /// counts: who is refused tries again. The caller rings once this is committed.
  ///
  /// - Throws: ``StoreRefusal`` where it could not be signed.
  func resumeInterruptedPurchases(
    of account: AccountName, _ environment: StoreEnvironment, in database: Database
  ) throws {
    let rows = try Self.takeInterruptedPurchases(of: account, environment, in: database)
    if !rows.isEmpty { try prepareSigners() }
    for row in rows {
      let installation = try Self.installation(row.installationID, in: database)
      guard let quote = row.quote?.answering(""),
        let product = try ProductRow.definition(quote.payment.productID, of: installation.bundleID, in: database)
      else { continue }
      // Made whole seconds later or years: it is a purchase of now, at the price that was confirmed.
      let now = try StoreRow.takeDate(database, clock: clock)
      let refusal = try Self.refusalOfSecondSubscription(
        to: product, of: account, installation.bundleID, environment, at: now, in: database)
      // Subscribed meanwhile, to this or another plan of the group: there is nothing left to buy.
      if refusal != nil { continue }
      _ = try provide(quote, for: installation, now: now, in: database)
      try DeviceChangeRow(StoreChange(.transactionsWaiting), for: row.installationID).insert(database)
    }
  }

  /// Has what was interrupted wait for approval, because its customer needs it from now on.
  ///
  /// Each becomes a payment of its own, since the one that failed stays failed: it is in the list of those that wait, and
  /// is charged when it is approved and the matter is settled. What is interrupted later was approved before, and does not
  /// wait again.
  func putInterruptedPurchasesToApproval(
    of account: AccountName, _ environment: StoreEnvironment, in database: Database
  ) throws {
    for row in try Self.takeInterruptedPurchases(of: account, environment, in: database) {
      var paymentID = row.paymentID
      repeat {
        paymentID = PaymentID("\(paymentID) resumed")
      } while try PaymentRow.fetch(paymentID, of: row.installationID, in: database) != nil
      guard let quote = row.quote?.answering(paymentID) else { continue }
      try PaymentRow(
        installationID: row.installationID, quote: quote,
        decisionDate: try StoreRow.takeDate(database, clock: clock), outcome: .waiting
      ).insert(database)
    }
  }

  /// The last attempt for each product on each installation; those before it are forgotten.
  private static func takeInterruptedPurchases(
    of account: AccountName, _ environment: StoreEnvironment, in database: Database
  ) throws -> [PaymentRow] {
    let rows = try PaymentRow.fetchAll(
      database,
      sql: """
        SELECT payment.* FROM payment
        JOIN interruptedPurchase USING (installationID, paymentID) JOIN installation USING (installationID)
        WHERE payment.account = ? AND installation.environment = ? ORDER BY decisionDate, payment.rowid
        """,
      arguments: [account.rawValue, environment.rawValue])
    for row in rows {
      try database.execute(
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
  /// The same charge, answering another payment; none where the id is empty.
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
