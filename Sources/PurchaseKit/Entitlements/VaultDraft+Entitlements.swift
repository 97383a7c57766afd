import Foundation
import SignedData

extension VaultDraft {
  /// Takes over what a receipt says, as far as it is newer than what is on record.
  ///
  /// - Returns: the entitlements that changed.
  @discardableResult
  mutating func merge(_ receipt: Verified<AppReceipt>) -> [Entitlement] {
    // The store's word for what time it was at least.
    see(receipt.value.creationDate.date)
    return receipt.entitlements.compactMap { statement in
      let old = entitlement(statement.originalTransactionIdentifier)
      let new = old?.merged(with: statement) ?? statement
      guard new != old else { return nil }
      put(.entitlement(new))
      // That it was said again later is worth keeping, and no news.
      var said = old
      said?.asOf = new.asOf
      return new == said ? nil : new
    }
  }

  /// Ends some entitlements, by their original transactions, except what the receipt shows to stand.
  ///
  /// That it ended is as of the latest statement of the store that is known, not of this device's clock: one that was far ahead
  /// would outlast every receipt to come.
  mutating func revoke(
    _ originalTransactionIdentifiers: Set<String>, accordingTo receipt: Verified<AppReceipt>?, at date: Date
  ) -> Bool {
    var hasChanged = receipt.map { !merge($0).isEmpty } ?? false
    let standing = Set(
      (receipt?.entitlements ?? []).filter { $0.revocationDate == nil }.map(\.originalTransactionIdentifier))
    let date = later(of: date)
    let statement = receipt?.value.creationDate.date ?? entitlements.compactMap(\.asOf).max()
    for var entitlement in entitlements
    where originalTransactionIdentifiers.contains(entitlement.originalTransactionIdentifier)
      && entitlement.revocationDate == nil && !standing.contains(entitlement.originalTransactionIdentifier)
    {
      entitlement.revocationDate = date
      entitlement.asOf = [statement, entitlement.asOf].compactMap(\.self).max()
      put(.entitlement(entitlement))
      hasChanged = true
    }
    return hasChanged
  }
}
