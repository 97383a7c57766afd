import Foundation
import SignedData

extension VaultDraft {
  /// Merges the entitlements of a receipt that are newer than the stored ones.
  ///
  /// - Returns: the entitlements that changed.
  @discardableResult
  mutating func merge(_ receipt: Verified<AppReceipt>) -> [Entitlement] {
    // The current time cannot be before the receipt's creation date.
    advanceTime(to: receipt.value.creationDate.date)
    return receipt.entitlements.compactMap { received in
      let old = entitlement(received.originalTransactionIdentifier)
      let new = old?.merged(with: received) ?? received
      guard new != old else { return nil }
      put(.entitlement(new))
      // A newer date of the same state is stored, but is not reported as a change.
      var redated = old
      redated?.asOf = new.asOf
      return new == redated ? nil : new
    }
  }

  /// Revokes the entitlements of these original transactions, unless the receipt shows that they are valid.
  ///
  /// `asOf` becomes the date of the latest known receipt. It is not taken from the device's clock: if that clock were
  /// far ahead, no later receipt could change the entitlement again.
  mutating func revoke(
    _ originalTransactionIdentifiers: Set<String>, accordingTo receipt: Verified<AppReceipt>?, at date: Date
  ) -> Bool {
    var hasChanged = receipt.map { !merge($0).isEmpty } ?? false
    let unrevoked = Set(
      (receipt?.entitlements ?? []).filter { $0.revocationDate == nil }.map(\.originalTransactionIdentifier))
    let date = later(of: date)
    let receiptDate = receipt?.value.creationDate.date ?? entitlements.compactMap(\.asOf).max()
    for var entitlement in entitlements
    where originalTransactionIdentifiers.contains(entitlement.originalTransactionIdentifier)
      && entitlement.revocationDate == nil && !unrevoked.contains(entitlement.originalTransactionIdentifier)
    {
      entitlement.revocationDate = date
      entitlement.asOf = [receiptDate, entitlement.asOf].compactMap(\.self).max()
      put(.entitlement(entitlement))
      hasChanged = true
    }
    return hasChanged
  }
}
