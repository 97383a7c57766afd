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
    for (index, row) in rows.enumerated() {
      let isTriedAgain = rows[(index + 1)...].contains {
        $0.installationID == row.installationID && $0.request.productID == row.request.productID
      }
      if isTriedAgain { continue }
      let installation = try Self.installation(row.installationID, in: database)
      guard let quote = row.quote?.withoutPaymentID,
        try ProductRow.definition(quote.payment.productID, of: installation.bundleID, in: database) != nil
      else { continue }
      // Made whole seconds later or years: it is a purchase of now, at the price that was confirmed.
      _ = try charge(
        quote, environment: environment, bundleID: installation.bundleID, installationID: row.installationID,
        now: try StoreRow.takeDate(database, clock: clock), in: database)
      try DeviceChangeRow(StoreChange(.transactionsWaiting), for: row.installationID).insert(database)
    }
  }

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
    return rows
  }
}

extension PaymentQuote {
  /// The same charge, answering no payment.
  fileprivate var withoutPaymentID: PaymentQuote {
    PaymentQuote(
      payment: PaymentRequest(
        paymentID: "", productID: payment.productID, quantity: payment.quantity,
        applicationUsername: payment.applicationUsername),
      account: account, displayName: displayName, unitPrice: unitPrice, total: total,
      storefrontCountryCode: storefrontCountryCode, localeIdentifier: localeIdentifier, epoch: epoch,
      authenticationCode: Data())
  }
}
