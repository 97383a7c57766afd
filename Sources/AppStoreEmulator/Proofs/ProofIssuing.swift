import Foundation
import GRDB
import SignedData
import StoreModel

extension StoreUnitOfWork {
  var proofs: ProofIssuing { ProofIssuing(work: self) }
}

/// Collects the contents of a transaction's proofs.
struct ProofIssuing {
  let work: StoreUnitOfWork

  /// The current contents of a transaction's proofs.
  ///
  /// - Parameter id: the id of the transaction or of a redelivery.
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``.
  func basis(of id: TransactionID) throws -> ProofBasis {
    let stored = try work.listing.details(id).stored
    let registered = try work.receiptInstallations.registered(for: stored)
    let installation = registered ?? work.receiptInstallations.invented(for: stored)
    return ProofBasis(
      stored: stored, installation: installation, isInstallationInvented: registered == nil,
      listed: try listed(with: stored, on: installation),
      subscriptions: try work.subscriptions.all(of: Scope(stored)).map(RenewalRecord.init))
  }

  /// The number of non-consumables and subscription periods of the customer who owns transaction `id`. Their app receipt
  /// always lists them; consumables only until they are finished.
  func listedCount(of id: TransactionID) throws -> Int {
    try Int.fetchOne(
      work.database,
      sql: """
        SELECT count(*) FROM transactionRecord
        WHERE type <> 'Consumable' AND account = ? AND bundleID = ? AND environment = ?
        """,
      arguments: Scope(try work.listing.details(id).stored).arguments) ?? 0
  }

  /// The proofs before signing. Each signing date is used only once, as with deliveries.
  func unsigned(_ id: TransactionID) throws -> (basis: ProofBasis, input: SigningInput, receipt: AppReceiptContents) {
    let basis = try basis(of: id)
    return (
      basis, try work.signingInputs([Fulfilment(stored: basis.stored)], for: basis.installation)[0],
      try work.appReceipt(of: basis.installation).contents(basis.listed)
    )
  }

  /// The transactions that the installation's receipt would list if its device requested unfinished transactions now.
  /// That request would deliver `stored`, and all purchases without an installation, so the consumables among them are
  /// included.
  private func listed(with stored: StoredTransaction, on installation: Installation) throws -> [TransactionRecord] {
    let listed = try work.appReceipt(of: installation).listed()
    let waiting = try StoredTransaction.fetchAll(
      work.database,
      sql: """
        SELECT * FROM transactionRecord
        WHERE type = 'Consumable' AND finishedDate IS NULL AND account = ? AND bundleID = ? AND environment = ?
          AND (installationID IS NULL AND \(TransactionRecord.isDeliverableSQL) OR transactionID = ?)
        ORDER BY sequence
        """,
      arguments: Scope(stored).arguments + [stored.record.transactionID.rawValue]
    ).map(\.record)
    let known = Set(listed.map(\.transactionID))
    return listed + waiting.filter { !known.contains($0.transactionID) }
  }
}
