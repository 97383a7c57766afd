import DurableSQLite
import Foundation
import SignedData
import StoreModel

/// Stores entitlements, credits and their transaction identifiers, encrypted and authenticated, so that the device's user
/// cannot change them unnoticed. Documentation/vault.md describes the format and what is detected.
///
/// ```swift
/// let vault = try PurchaseVault(at: file, keys: SystemKeychain(), owner: owner)
/// let credits = CreditManager(store: VaultCreditStore(vault), creditsForProduct: ["…consume5credits": 5])
/// let entitlements = EntitlementManager(vault: vault, receipts: receipts, productIdentifiers: ["…sepia"])
/// ```
///
/// A damaged or changed vault can still be opened: the damage is reported, and repaired as far as possible.
public final class PurchaseVault: Sendable {
  /// The app and the device that the vault belongs to.
  public let owner: VaultOwner
  /// The damage and changes found when the vault was opened.
  public let findings: [VaultFinding]

  private let clock: any MachineClock
  let makeUUID: @Sendable () -> UUID
  private let keys: any VaultKeyStore
  private let database: DurableDatabase
  private let contents: LockedValue<VaultContents>

  /// Opens a vault, or creates one.
  ///
  /// - Parameters:
  ///   - url: the vault's file, which only one process can have open; nil to keep it in memory.
  ///   - keys: stores the vault's key.
  ///   - owner: the app and the device. The vault cannot be used with another owner.
  ///   - clock: the device's clock.
  ///   - makeUUID: makes the identifiers of vaults and lineages. Keys always come from the system's random generator.
  ///   - report: called with each of ``findings``, before this returns.
  /// - Throws: `DurableSQLiteError` if the file is in use or the disk fails; ``VaultError``; errors of `keys`. If a
  ///   change was begun before the error, the next attempt completes the change.
  public init(
    at url: URL?, keys: any VaultKeyStore, owner: VaultOwner, clock: any MachineClock = SystemClock(),
    makeUUID: @escaping @Sendable () -> UUID = { UUID() }, report: (VaultFinding) -> Void = { _ in }
  ) throws {
    self.keys = keys
    self.owner = owner
    self.clock = clock
    self.makeUUID = makeUUID
    if let url, FileManager.default.fileExists(atPath: url.path) {
      // The key item is read before the file is opened, because a vault of a newer version must not be changed.
      _ = try VaultKeyItem.read(keys.load(VaultKeyItem.name))
    }
    let hadTrace = url.map(VaultFile.exists(at:)) ?? true
    let (file, content, aside) = try VaultFile.open(at: url)
    database = file.database
    do {
      // Read again: another process may have changed the key item before the file was opened. Now none can.
      let keyItem = try VaultKeyItem.read(keys.load(VaultKeyItem.name))
      let opening = VaultOpening(
        keyItem: keyItem, content: content, unreadable: aside?.reason, hadTrace: hadTrace, owner: owner,
        now: clock.now.date,
        makeUUID: makeUUID)
      findings = opening.findings
      // Keeps a copy of the content that a repair overwrites. The first write to a new file overwrites nothing.
      if !findings.isEmpty, content.head != nil, aside == nil { try file.database.keepCopy() }
      if opening.isNewKeyItem {
        // The old key item is kept: the credits in older backups can be imported only with it.
        try keys.keepCopy(VaultKeyItem.name)
        try keys.save(opening.keyItem.written(), as: VaultKeyItem.name)
      }
      var contents = VaultContents(
        file: file, cipher: opening.cipher, keyItem: opening.keyItem, head: opening.head, tags: opening.tags,
        entitlements: opening.entitlements)
      if case .item(let saved) = keyItem { contents.isKeyItemBehind = saved != opening.keyItem }
      // The key item is saved before the commit, so that the file is never more than one generation ahead of the key
      // item.
      try contents.saveKeyItem(keys)
      if opening.needsCommit {
        try contents.commitRepair(removing: opening.removed, putting: opening.salvaged, at: clock.now.date, keys)
      }
      _ = try contents.advanceTime(to: clock.now.date, keys)
      self.contents = LockedValue(contents)
    } catch {
      try? file.database.close()
      throw error
    }
    for finding in findings { report(finding) }
  }

  /// Closes the file. It does not wait for a running change, whose later reads and writes fail.
  public func close() throws { try database.close() }

  /// Whether entitlements were lost, and must be rebuilt from the receipt or by restoring purchases.
  public var entitlementsNeedRebuilding: Bool { read { $0.head.entitlementsNeedRebuilding } }

  /// Why, and since when, credits cannot be used; nil if they can.
  public var creditFreeze: CreditFreeze? { read { $0.head.books.freeze } }

  /// Returns the later of the clock and the highest recorded time. Records the clock's time if it is more than a minute
  /// later than that.
  ///
  /// - Throws: an error if the time cannot be recorded.
  public func date() throws -> Date {
    try contents.withLock { contents in try contents.advanceTime(to: clock.now.date, keys) }
  }

  /// The credits that are lost if frozen credits start again at zero, or if the app is deleted while they can be used.
  /// Show it to the customer first. Only a backup can bring them back.
  public var creditsAtRisk: CreditLoss { read { $0.creditsAtRisk } }

  /// Starts frozen credits again with a balance of zero, for a customer who has no backup of them.
  ///
  /// - Parameter loss: the value of ``creditsAtRisk`` to which the customer has agreed.
  /// - Throws: ``CreditError/notFrozen`` if the credits can be used; ``CreditError/lossNotAccepted(_:)`` if `loss` is not
  ///   the current value; ``VaultError``.
  public func resetCredits(accepting loss: CreditLoss) throws {
    try update { draft in
      guard draft.credits.freeze != nil else { throw CreditError.notFrozen }
      guard draft.creditsAtRisk == loss else { throw CreditError.lossNotAccepted(draft.creditsAtRisk) }
      draft.emptyCredits()
      draft.credits = draft.credits.restarted(lineage: draft.newLineage())
    }
  }

  func read<Value: Sendable, Failure: Error>(
    _ value: (VaultContents) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try contents.withLock { contents throws(Failure) in try value(contents) }
  }

  /// Makes a change in one commit. Changes nothing if `change` throws or leaves the draft as it was.
  func update<Value: Sendable>(_ change: (inout VaultDraft) throws -> Value) throws -> Value {
    try contents.withLock { contents in
      // The key item is saved first, because it must protect everything that `change` reads against a rollback.
      try contents.saveKeyItem(keys)
      let (value, wanted) = try decide(contents, change)
      if let wanted { try contents.commit(wanted, at: clock.now.date, keys) }
      return value
    }
  }

  /// Applies `change` to a draft. This is a separate function, so that the draft's copy of the contents is released
  /// before the commit changes the original.
  private func decide<Value>(
    _ contents: VaultContents, _ change: (inout VaultDraft) throws -> Value
  ) rethrows -> (Value, VaultChange?) {
    var draft = VaultDraft(contents, makeUUID: makeUUID)
    let value = try change(&draft)
    return (value, draft.isEmpty ? nil : draft.change)
  }
}

/// The owner of a vault: one app on one device. A vault cannot be used by another owner.
public struct VaultOwner: Hashable, Sendable {
  public let bundleID: BundleID
  /// The identifier must stay the same when the app is removed and installed again. `identifierForVendor` stays the
  /// same only while another app of the vendor is on the device. Otherwise, store your own UUID in the Keychain, beside
  /// the key.
  public let deviceIdentifier: DeviceIdentifier

  public init(bundleID: BundleID, deviceIdentifier: DeviceIdentifier) {
    self.bundleID = bundleID
    self.deviceIdentifier = deviceIdentifier
  }
}
