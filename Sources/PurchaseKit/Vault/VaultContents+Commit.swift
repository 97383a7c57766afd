import Foundation
import StoreModel

/// The commit points, in the order that Documentation/vault.md gives them.
extension VaultContents {
  /// Commits a change: the file first, then the key item.
  ///
  /// - Throws: nothing was changed, unless it is ``VaultError/keyNotSaved(reason:)``.
  mutating func commit(_ change: VaultChange, at date: Date, _ keys: any VaultKeyStore) throws {
    var head = head
    head.books = change.books
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
    // Not looked for in vain at every write.
    let removed = change.emptied.isEmpty ? [] : tags.filter { change.emptied.contains($0.value.compartment) }.map(\.key)
    // An import puts a whole history, under a new lineage; what is spent is put one by one.
    let isSameLineage = change.books.lineage == keyItem.lineage
    let spends = change.puts.values.compactMap {
      if isSameLineage, case .spend(let spend) = $0 { spend } else { nil }
    }
    try announce(spends, in: change.books, keys)
    try commitHead(head, removing: removed, putting: boxes, at: max(date, change.highestTime ?? date))
    keyItem.remember(spends, of: change.books.lineage)
    for name in removed { tags[name] = nil }
    tags.merge(new) { $1 }
    for case .entitlement(let entitlement) in change.puts.values {
      entitlements[entitlement.originalTransactionIdentifier] = entitlement
    }
    try saveKeyItem(keys)
  }

  /// Commits what an opening decided.
  mutating func commitRepair(
    removing names: [Data], putting boxes: [(name: Data, box: Data)], at date: Date, _ keys: any VaultKeyStore
  ) throws {
    try commitHead(head, removing: names, putting: boxes, at: date)
    try saveKeyItem(keys)
  }

  /// The later of `date` and the highest time seen, put on record if it moved on by more than a minute.
  mutating func see(_ date: Date, _ keys: any VaultKeyStore) throws -> Date {
    let highest = head.highestTime.date
    guard date > highest else { return highest }
    if date.timeIntervalSince(highest) > 60 {
      try saveKeyItem(keys)
      try commitHead(head, removing: [], putting: [], at: date)
      try saveKeyItem(keys)
    }
    return date
  }

  /// Has the key store take note of the head, if it did not yet.
  mutating func saveKeyItem(_ keys: any VaultKeyStore) throws {
    guard isKeyItemBehind else { return }
    do {
      try keys.save(keyItem.written(), as: VaultKeyItem.name)
    } catch {
      throw VaultError.keyNotSaved(reason: "\(error)")
    }
    isKeyItemBehind = false
  }

  /// A spend that a killed process has committed must count, also when the file is lost before the key item follows.
  private mutating func announce(
    _ spends: [CreditSpendEntry], in books: VaultCredits, _ keys: any VaultKeyStore
  ) throws {
    guard books.lineage == keyItem.lineage, books.spent > keyItem.spent[books.lineage] ?? 0 else { return }
    var item = keyItem
    item.announce(spends, in: books)
    // Whatever comes of it, what the key store holds is then not what the file says.
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
