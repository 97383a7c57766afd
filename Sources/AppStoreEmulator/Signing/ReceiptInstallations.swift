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
    return try Installation.fetchOne(
      work.database,
      sql: """
        SELECT * FROM installation WHERE account = ? AND bundleID = ? AND environment = ?
        ORDER BY registrationDate DESC, rowid DESC LIMIT 1
        """,
      arguments: Scope(stored).arguments)
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
