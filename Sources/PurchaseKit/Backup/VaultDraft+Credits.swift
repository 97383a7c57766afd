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
      try merged.add(rest: books.balance(), spent: books.spent)
    }
    // What was granted again after the credits were started anew counts once.
    let grants = backup.grants.filter { !has(.grant($0.transactionIdentifier)) }
    for grant in grants { put(.grant(grant)) }
    let granted = grants.reduce(0) { $0 + $1.credits }
    // The key item knows what was spent after the backup was made, of what was granted after it as well.
    let spent = min(granted, max(backup.spent, keyItem.spent[backup.lineage] ?? 0))
    try merged.add(rest: granted - spent, spent: spent)
    for spend in backup.spends where !has(.spend(spend.key.uuidString)) { put(.spend(spend)) }
    books = merged
    return .broughtBack(balance: try merged.balance())
  }
}
