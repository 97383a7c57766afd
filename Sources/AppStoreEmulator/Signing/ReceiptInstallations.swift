import GRDB
import StoreModel

extension StoreUnitOfWork {
  var receiptInstallations: ReceiptInstallations { ReceiptInstallations(work: self) }
}

/// Decides for which installation the receipts of a transaction are made: the one to which the transaction is
/// delivered, or else the owner's newest installation of the app.
struct ReceiptInstallations {
  let work: StoreUnitOfWork

  func installation(for stored: StoredTransaction) throws -> Installation {
    try registered(for: stored) ?? invented(for: stored)
  }

  /// The stored installation for a transaction's receipts; nil if the owner has no installation of the app.
  func registered(for stored: StoredTransaction) throws -> Installation? {
    if let id = stored.installationID, let here = try work.installations.find(id), here.account == stored.account {
      return here
    }
    return try signedIn(Scope(stored))
  }

  /// The customer's newest installation of the app; if the customer is signed in on none, the one on which the customer's newest
  /// transaction was delivered. Nil if there is none.
  func newest(of customer: Scope) throws -> Installation? {
    if let installation = try signedIn(customer) { return installation }
    return try Installation.fetchOne(
      work.database.cachedStatement(
        sql: """
          SELECT installation.* FROM transactionRecord AS record INDEXED BY transactionRecordOnOwner
          JOIN installation USING (installationID)
          WHERE record.account = ? AND record.bundleID = ? AND record.environment = ?
          ORDER BY record.sequence DESC LIMIT 1
          """),
      arguments: customer.arguments)
  }

  private func signedIn(_ customer: Scope) throws -> Installation? {
    try Installation.fetchOne(
      work.database,
      sql: """
        SELECT * FROM installation WHERE account = ? AND bundleID = ? AND environment = ?
        ORDER BY registrationDate DESC, rowid DESC LIMIT 1
        """,
      arguments: customer.arguments)
  }

  /// Makes an installation for an owner who has none. It is not stored, and has the same ids each time.
  func invented(for stored: StoredTransaction) -> Installation {
    let (record, account) = (stored.record, stored.account)
    let device = work.identity.uuid(
      "deviceOfProofs", account.rawValue, record.environment.rawValue, record.bundleID.rawValue)
    return Installation(
      installationID: InstallationID("proofs for \(account)"), bundleID: record.bundleID,
      environment: record.environment, deviceID: device.uuidString, applicationVersion: "1.0",
      originalApplicationVersion: "1.0", account: account, registrationDate: record.originalPurchaseDate)
  }
}
