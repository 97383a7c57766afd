import Foundation

extension VaultDraft {
  /// Merges a backup's credits. Documentation/vault.md has a table of the rules.
  mutating func merge(_ backup: CreditBackup) throws -> BackupImport.Credits {
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
    // Skips the grants that the vault has already. A transaction may have been granted again after the credits started
    // again at zero.
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
