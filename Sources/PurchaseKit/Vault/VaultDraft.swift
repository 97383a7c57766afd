import Foundation

/// A change of a vault before it is committed, and the content that it is based on.
struct VaultDraft {
  private let contents: VaultContents
  private let makeUUID: @Sendable () -> UUID
  private(set) var change: VaultChange

  init(_ contents: VaultContents, makeUUID: @escaping @Sendable () -> UUID) {
    self.contents = contents
    self.makeUUID = makeUUID
    change = VaultChange(
      credits: contents.head.books, entitlementsNeedRebuilding: contents.head.entitlementsNeedRebuilding)
  }

  /// Whether there is nothing to commit.
  var isEmpty: Bool {
    change
      == VaultChange(
        credits: contents.head.books, entitlementsNeedRebuilding: contents.head.entitlementsNeedRebuilding)
  }

  var keyItem: VaultKeyItem { contents.keyItem }

  /// The credits that are lost if the credits before this change are given up.
  var creditsAtRisk: CreditLoss { contents.creditsAtRisk }

  var credits: VaultCredits {
    get { change.credits }
    set { change.credits = newValue }
  }

  var entitlementsNeedRebuilding: Bool {
    get { change.entitlementsNeedRebuilding }
    set { change.entitlementsNeedRebuilding = newValue }
  }

  func newLineage() -> UUID { makeUUID() }

  /// Records that the current time is at least `date`, even if the device's clock is behind.
  mutating func advanceTime(to date: Date) {
    guard date > contents.head.highestTime.date else { return }
    change.highestTime = max(change.highestTime ?? date, date)
  }

  /// Returns the later of `date` and the highest time seen.
  func later(of date: Date) -> Date { max(date, contents.head.highestTime.date, change.highestTime ?? date) }

  func has(_ key: VaultRecord.Key) -> Bool {
    change.puts[key] != nil
      || !change.emptied.contains(key.compartment) && contents.tags[contents.cipher.name(of: key)] != nil
  }

  func record(_ key: VaultRecord.Key) throws -> VaultRecord? {
    if let put = change.puts[key] { return put }
    let name = contents.cipher.name(of: key)
    guard !change.emptied.contains(key.compartment), let tag = contents.tags[name] else { return nil }
    return try contents.file.record(name, tag.bytes, contents.cipher)
  }

  func entitlement(_ originalTransactionIdentifier: String) -> Entitlement? {
    if case .entitlement(let put) = change.puts[.entitlement(originalTransactionIdentifier)] { return put }
    return contents.entitlements[originalTransactionIdentifier]
  }

  /// All stored entitlements, also those that have ended.
  var entitlements: [Entitlement] { contents.entitlements.keys.compactMap(entitlement) + newEntitlements }

  private var newEntitlements: [Entitlement] {
    change.puts.values.compactMap {
      guard case .entitlement(let put) = $0, contents.entitlements[put.originalTransactionIdentifier] == nil
      else { return nil }
      return put
    }
  }

  mutating func put(_ record: VaultRecord) { change.puts[record.key] = record }

  /// Removes all credit records, also those put in this draft.
  mutating func emptyCredits() {
    change.emptied.insert(.credits)
    change.puts = change.puts.filter { $0.key.compartment != .credits }
  }
}

/// The changes of one commit.
struct VaultChange: Hashable, Sendable {
  var puts: [VaultRecord.Key: VaultRecord] = [:]
  /// Compartments that are emptied before records are put.
  var emptied: Set<VaultCompartment> = []
  var credits: VaultCredits
  var entitlementsNeedRebuilding: Bool
  var highestTime: Date?
}
