import Foundation

extension VaultDraft {
  /// Merges the proven entitlements that are newer than the stored ones.
  ///
  /// - Returns: the entitlements that changed.
  @discardableResult
  mutating func merge(_ proven: ProvenEntitlements) -> [Entitlement] {
    // The current time cannot be before the date of the proof.
    advanceTime(to: proven.asOf)
    return proven.entitlements.compactMap { received in
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

  /// Revokes the entitlements of these original transactions, unless the proof shows that they are valid.
  ///
  /// `asOf` becomes the date of the latest known proof. It is not taken from the device's clock: if that clock were
  /// far ahead, no later proof could change the entitlement again.
  mutating func revoke(
    _ originalTransactionIdentifiers: Set<String>, accordingTo proven: ProvenEntitlements?, at date: Date
  ) -> Bool {
    var hasChanged = proven.map { !merge($0).isEmpty } ?? false
    let unrevoked = Set(
      (proven?.entitlements ?? []).filter { $0.revocationDate == nil }.map(\.originalTransactionIdentifier))
    let date = later(of: date)
    let proofDate = proven?.asOf ?? entitlements.compactMap(\.asOf).max()
    for var entitlement in entitlements
    where originalTransactionIdentifiers.contains(entitlement.originalTransactionIdentifier)
      && entitlement.revocationDate == nil && !unrevoked.contains(entitlement.originalTransactionIdentifier)
    {
      entitlement.revocationDate = date
      entitlement.asOf = [proofDate, entitlement.asOf].compactMap(\.self).max()
      put(.entitlement(entitlement))
      hasChanged = true
    }
    return hasChanged
  }
}
