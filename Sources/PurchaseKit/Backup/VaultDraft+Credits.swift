import Foundation

extension VaultDraft {
  /// Brings a backup's credits back; the rules are a table in Documentation/vault.md.
  mutating func merge(_ backup: CreditBackup) throws -> BackupImport.Credits {
    if keyItem.closedLineages.contains(backup.lineage) || books.closedLineages.contains(backup.lineage) {
      return .importedBefore
    }
    let isFrozen = books.freeze != nil
    if !isFrozen, books.lineage == backup.lineage { return .currentAreNewer }
    if isFrozen { emptyCredits() }
    var merged = books.anew(lineage: newLineage())
    merged.closedLineages.insert(backup.lineage)
    if !isFrozen {
      // They go on in the new lineage; a backup of the old one would bring them back a second time.
      merged.closedLineages.insert(books.lineage)
      try merged.add(books)
    }
    // What was granted again after the credits were started anew counts once.
    let grants = backup.grants.filter { !has(.grant($0.transactionIdentifier)) }
    var granted = VaultCredits(lineage: backup.lineage)
    for grant in grants {
      try granted.grant(grant.credits)
      put(.grant(grant))
    }
    // Also those that were made after the backup: asked for again, they are found.
    let inBackup = Set(backup.spends.map(\.key))
    let spends = backup.spends + keyItem.recentSpends(of: backup.lineage).filter { !inBackup.contains($0.key) }
    // A spend that was repeated under the same key after a reset of the credits counts once: the larger amount.
    var spentTwice = 0
    for spend in spends {
      if case .spend(let again) = try record(.spend(spend.key.uuidString)) {
        spentTwice += min(spend.credits, again.credits)
      }
    }
    // The key item knows what was spent after the backup was made, of what was granted after it as well.
    let total = max(backup.spent, keyItem.spent[backup.lineage] ?? 0)
    let spent = min(try granted.balance(), max(0, total - spentTwice))
    if spent > 0 { try granted.spend(spent) }
    try merged.add(granted)
    for spend in spends where !has(.spend(spend.key.uuidString)) { put(.spend(spend)) }
    books = merged
    return .broughtBack(balance: try merged.balance())
  }
}
