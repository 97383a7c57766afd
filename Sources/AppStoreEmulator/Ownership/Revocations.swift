import GRDB
import StoreModel

extension StoreUnitOfWork {
  var revocations: Revocations { Revocations(work: self) }
}

/// Notifies devices of products that their customers have lost.
struct Revocations {
  let work: StoreUnitOfWork

  /// Notifies the owner's devices of one revoked transaction.
  ///
  /// Devices are not notified of revoked consumables and non-renewing subscriptions, because these are not restorable.
  /// Exception: if an unfinished consumable was refunded only in part, the transaction's installation is notified. It
  /// then receives the transaction again, with the refund.
  func notify(_ stored: StoredTransaction) throws {
    if stored.record.type == .consumable, stored.record.isDeliverable, stored.finishedDate == nil,
      let id = stored.installationID
    {
      try work.deviceNotifier.notify(id, StoreChange(.transactionsWaiting))
    }
    guard stored.record.type.isRestorable else { return }
    // A customer who owns the product by another transaction, too, has lost nothing. The devices only fetch the receipt.
    let isOwned = try work.ownership(Scope(stored)).transaction(owning: stored.record.productID) != nil
    let change = StoreChange(.entitlementsRevoked, productIDs: isOwned ? [] : [stored.record.productID])
    try work.deviceNotifier.notify(Scope(stored), change)
    // Also notifies the installation that bought the product, if the owner is no longer signed in there.
    if let id = stored.installationID, try work.installations.installation(id).account != stored.account {
      try work.deviceNotifier.notify(id, change)
    }
  }

  /// Notifies an installation of all products that its customer has lost. The installation may have missed earlier
  /// notifications.
  ///
  /// - Parameter date: the date at which subscriptions must be active; nil for the store's current date.
  func notify(_ installation: Installation, at date: StoreDate? = nil) throws {
    guard let account = installation.account else { return }
    var ownership = work.ownership(Scope(account, on: installation))
    ownership.date = date ?? work.now
    let lost = try ownership.lostProducts()
    guard !lost.isEmpty else { return }
    try work.deviceNotifier.notify(
      installation.installationID, StoreChange(.entitlementsRevoked, productIDs: lost))
  }
}
