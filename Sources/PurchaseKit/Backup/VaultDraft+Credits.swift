import Foundation

extension VaultDraft {
  /// Merges a backup's credits. Documentation/vault.md has a table of the rules.
  ///
  /// - Parameter accepted: the loss to which the customer has agreed. If more than nothing is lost, and it is another
  ///   loss, nothing is changed.
  mutating func merge(_ backup: CreditBackup, accepting accepted: CreditLoss?) throws -> BackupImport.Credits {
    var merged = self
    let result = try merged.merge(backup)
    if case .broughtBack(let balance) = result, let loss = loss(of: backup, bringingBack: balance), !loss.isNothing,
      loss != accepted
    {
      return .wouldLose(loss)
    }
    self = merged
    return result
  }

  /// Returns the frozen credits that are lost by importing a backup; nil if the credits are not frozen.
  private func loss(of backup: CreditBackup, bringingBack balance: Int) -> CreditLoss? {
    guard let freeze = credits.freeze else { return nil }
    let saved = Set(backup.grants.map(\.transactionIdentifier))
    let unsaved = (keyItem.recentGrants ?? []).filter { !saved.contains($0.transactionIdentifier) }
    // Credits of another lineage were bought by other transactions. They replace none of the frozen ones.
    let broughtBack = backup.lineage == credits.lineage ? balance : 0
    return CreditLoss(
      credits: freeze.lostBalance.map { max(0, $0 - broughtBack) }, balanceAfter: balance, of: unsaved, freeze: freeze)
  }

  private mutating func merge(_ backup: CreditBackup) throws -> BackupImport.Credits {
    if keyItem.closedLineages.contains(backup.lineage) || credits.closedLineages.contains(backup.lineage) {
      return .importedBefore
    }
    let isFrozen = credits.freeze != nil
    if !isFrozen, credits.lineage == backup.lineage { return .currentAreNewer }
    if isFrozen { emptyCredits() }
    var merged = credits.restarted(lineage: newLineage())
    merged.closedLineages.insert(backup.lineage)
    if !isFrozen {
      // The current credits continue in the new lineage. The old lineage is closed: importing a backup of it would add
      // the same credits a second time.
      merged.closedLineages.insert(credits.lineage)
      try merged.add(credits)
    }
    // Skips the grants that the vault has already. After the credits started again at zero, a transaction may have been
    // granted again if the key item had forgotten it.
    let grants = backup.grants.filter { !has(.grant($0.transactionIdentifier)) }
    var granted = VaultCredits(lineage: backup.lineage)
    for grant in grants {
      try granted.grant(grant.credits)
      put(.grant(grant))
    }
    let inBackup = Set(backup.spends.map(\.key))
    // Includes the spends that the key item recorded after the backup was made, so that repeating one of them does not
    // spend again.
    let spends = backup.spends + keyItem.recentSpends(of: backup.lineage).filter { !inBackup.contains($0.key) }
    // A spend that was repeated under the same key after a reset of the credits is counted once, with the larger
    // amount.
    var spentTwice = 0
    for spend in spends {
      if case .spend(let again) = try record(.spend(spend.key.uuidString)) {
        spentTwice += min(spend.credits, again.credits)
      }
    }
    // The key item's total also counts credits that were spent after the backup was made. Some of those credits may
    // have been granted after the backup, too.
    let total = max(backup.spent, keyItem.spent[backup.lineage] ?? 0)
    let spent = min(try granted.balance(), max(0, total - spentTwice))
    if spent > 0 { try granted.spend(spent) }
    try merged.add(granted)
    for spend in spends where !has(.spend(spend.key.uuidString)) { put(.spend(spend)) }
    credits = merged
    return .broughtBack(balance: try merged.balance())
  }
}
