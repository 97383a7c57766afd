import GRDB
import StoreModel

extension StoreUnitOfWork {
  var revocations: Revocations { Revocations(work: self) }
}

/// What customers lose by revocations.
struct Revocations {
  let work: StoreUnitOfWork

  /// Whether the owner of a revoked transaction owns its product by another transaction, too. False for products that
  /// are not restorable.
  func keepsProduct(of stored: StoredTransaction) throws -> Bool {
    guard stored.record.type.isRestorable else { return false }
    return try work.ownership(Scope(stored)).transaction(owning: stored.record.productID) != nil
  }

  /// Records all products that an installation's customer has lost, if there are any. The installation may have missed
  /// earlier changes.
  ///
  /// - Parameter date: the date at which subscriptions must be active; nil for the store's current date.
  func recordLostProducts(of installation: Installation, at date: StoreDate? = nil) throws {
    guard let account = installation.account else { return }
    var ownership = work.ownership(Scope(account, on: installation))
    ownership.date = date ?? work.now
    let lost = try ownership.lostProducts()
    if !lost.isEmpty { try work.events.record(.productsLost(lost, installation)) }
  }
}
