import Foundation
import StoreModel

/// The authenticated content of a vault in memory. Credit records stay in the file.
struct VaultContents: Sendable {
  /// Identifies the version of a record, and its compartment.
  struct Tag: Hashable, Sendable {
    let bytes: Data
    let compartment: VaultCompartment
  }

  let file: VaultFile
  let cipher: VaultCipher
  var keyItem: VaultKeyItem
  /// Whether the key store does not have the latest key item yet.
  var isKeyItemBehind = false
  var head: VaultHead
  var tags: [Data: Tag]
  /// The key is the original transaction identifier.
  var entitlements: [String: Entitlement]

  /// The credits that are lost if these credits are given up.
  var creditsAtRisk: CreditLoss {
    CreditLoss(
      credits: head.books.freeze.map(\.lostBalance) ?? (try? head.books.balance()), balanceAfter: 0,
      of: keyItem.recentGrants ?? [], freeze: head.books.freeze)
  }
}

/// Writes changes to the file and to the key item. Documentation/vault.md lists the commit points.
extension VaultContents {
  /// Commits a change: the file first, then the key item.
  ///
  /// - Throws: ``VaultError/keyNotSaved(reason:)`` if the change is in the file, but the key item could not be saved.
  ///   After any other error, the file is unchanged.
  mutating func commit(_ change: VaultChange, at date: Date, _ keys: any VaultKeyStore) throws {
    var head = head
    head.books = change.credits
    head.entitlementsNeedRebuilding = change.entitlementsNeedRebuilding
    for compartment in change.emptied { head[compartment] = RecordDigest() }
    var boxes: [(name: Data, box: Data)] = []
    var new: [Data: Tag] = [:]
    for (key, record) in change.puts {
      let name = cipher.name(of: key)
      let box = try cipher.seal(record, as: name)
      boxes.append((name, box))
      if !change.emptied.contains(key.compartment), let old = tags[name] { head[key.compartment].remove(old.bytes) }
      let tag = Tag(bytes: cipher.tag(box, as: name), compartment: key.compartment)
      new[name] = tag
      head[key.compartment].add(tag.bytes)
    }
    // Most changes empty no compartment. For them, the search through all tags is skipped.
    let removed = change.emptied.isEmpty ? [] : tags.filter { change.emptied.contains($0.value.compartment) }.map(\.key)
    // An import adds a whole history under a new lineage. Its spends are not announced in the key item.
    let isSameLineage = change.credits.lineage == keyItem.lineage
    let spends = change.puts.values.compactMap {
      if isSameLineage, case .spend(let spend) = $0 { spend } else { nil }
    }
    try announce(spends, in: change.credits, keys)
    try commitHead(head, removing: removed, putting: boxes, at: max(date, change.highestTime ?? date))
    keyItem.remember(spends, of: change.credits.lineage)
    keyItem.remember(
      change.puts.values.compactMap { if case .grant(let grant) = $0 { grant } else { nil } },
      replacing: change.emptied.contains(.credits))
    for name in removed { tags[name] = nil }
    tags.merge(new) { $1 }
    for case .entitlement(let entitlement) in change.puts.values {
      entitlements[entitlement.originalTransactionIdentifier] = entitlement
    }
    try saveKeyItem(keys)
  }

  /// Commits the repairs that ``VaultOpening`` has decided on.
  mutating func commitRepair(
    removing names: [Data], putting boxes: [(name: Data, box: Data)], at date: Date, _ keys: any VaultKeyStore
  ) throws {
    try commitHead(head, removing: names, putting: boxes, at: date)
    try saveKeyItem(keys)
  }

  /// Returns the later of `date` and the highest time seen. The time is recorded if it has advanced by more than a minute.
  mutating func advanceTime(to date: Date, _ keys: any VaultKeyStore) throws -> Date {
    let highest = head.highestTime.date
    guard date > highest else { return highest }
    if date.timeIntervalSince(highest) > 60 {
      try saveKeyItem(keys)
      try commitHead(head, removing: [], putting: [], at: date)
      try saveKeyItem(keys)
    }
    return date
  }

  /// Saves the key item, if the key store does not have the latest one.
  mutating func saveKeyItem(_ keys: any VaultKeyStore) throws {
    guard isKeyItemBehind else { return }
    do {
      try keys.save(keyItem.written(), as: VaultKeyItem.name)
    } catch {
      throw VaultError.keyNotSaved(reason: "\(error)")
    }
    isKeyItemBehind = false
  }

  /// Saves a spend in the key item before the commit. If the process is killed and the file is lost, the spend is still
  /// counted.
  private mutating func announce(
    _ spends: [CreditSpendEntry], in credits: VaultCredits, _ keys: any VaultKeyStore
  ) throws {
    guard credits.lineage == keyItem.lineage, credits.spent > keyItem.spent[credits.lineage] ?? 0 else { return }
    var item = keyItem
    item.announce(spends, in: credits)
    // Whether the save succeeds or not, the key store may now differ from the file.
    isKeyItemBehind = true
    do {
      try keys.save(item.written(), as: VaultKeyItem.name)
    } catch {
      throw VaultError.keyStore(reason: "\(error)")
    }
  }

  private mutating func commitHead(
    _ new: VaultHead, removing names: [Data], putting boxes: [(name: Data, box: Data)], at date: Date
  ) throws {
    var new = new
    new.generation += 1
    new.highestTime = max(new.highestTime, StoreDate(date))
    try file.commit(
      label: keyItem.vaultID.uuidString, head: try cipher.seal(new), removing: names, putting: boxes)
    head = new
    keyItem = keyItem.following(new)
    isKeyItemBehind = true
  }
}
