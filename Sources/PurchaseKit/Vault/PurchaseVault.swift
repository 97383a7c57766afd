import DurableSQLite
import Foundation
import StoreModel

/// Keeps entitlements, credits and the transaction ids behind them, encrypted and authenticated, from whoever owns the
/// device. How, and what is noticed, is in Documentation/vault.md.
///
/// ```swift
/// let vault = try PurchaseVault(at: file, keys: SystemKeychain(), owner: owner)
/// let credits = CreditManager(store: VaultCreditStore(vault), creditsForProduct: ["…consume5credits": 5])
/// let entitlements = EntitlementManager(vault: vault, receipts: receipts, productIdentifiers: ["…sepia"])
/// ```
///
/// Nothing that was not as the vault left it makes opening fail: it is reported, and repaired as far as it can be.
public final class PurchaseVault: Sendable {
  /// Whose vault it is.
  public let owner: VaultOwner
  /// What was noticed when it was opened.
  public let findings: [VaultFinding]

  private let clock: any MachineClock
  let makeUUID: @Sendable () -> UUID
  private let keys: any VaultKeyStore
  private let database: DurableDatabase
  private let contents: LockedValue<VaultContents>

  /// Opens a vault, or makes one where there never was any.
  ///
  /// - Parameters:
  ///   - url: its file, which one process at a time can have open; nil for memory.
  ///   - keys: where its key is.
  ///   - owner: whose it is; it opens for nobody else.
  ///   - clock: the device's clock.
  ///   - makeUUID: makes the ids of vaults and lineages. Keys are always of the system's generator.
  ///   - report: told each of ``findings``, before this returns.
  /// - Throws: `DurableSQLiteError` where the file is in use or the disk to blame; ``VaultError``; whatever `keys` throws.
  ///   Nothing was changed then, or what was is found by the next attempt.
  public init(
    at url: URL?, keys: any VaultKeyStore, owner: VaultOwner, clock: any MachineClock = SystemClock(),
    makeUUID: @escaping @Sendable () -> UUID = { UUID() }, report: (VaultFinding) -> Void = { _ in }
  ) throws {
    self.keys = keys
    self.owner = owner
    self.clock = clock
    self.makeUUID = makeUUID
    if let url, FileManager.default.fileExists(atPath: url.path) {
      // Before the file is touched: one of a newer version must stay as it is.
      _ = try VaultKeyItem.read(keys.load(VaultKeyItem.name))
    }
    let hadTrace = url.map(VaultFile.leavesTrace(at:)) ?? true
    let (file, content, aside) = try VaultFile.open(at: url)
    database = file.database
    do {
      // Again, now that nobody else can write it.
      let keyItem = try VaultKeyItem.read(keys.load(VaultKeyItem.name))
      let opening = VaultOpening(
        keyItem: keyItem, content: content, unreadable: aside?.reason, hadTrace: hadTrace, owner: owner,
        now: clock.now.date,
        makeUUID: makeUUID)
      findings = opening.findings
      // What a repair overwrites is kept; the first writing of a new file overwrites nothing.
      if !findings.isEmpty, content.head != nil, aside == nil { try file.database.keepCopy() }
      if opening.isNewKeyItem {
        // The backups made under the old one open with it alone.
        try keys.keepAside(VaultKeyItem.name)
        try keys.save(opening.keyItem.written(), as: VaultKeyItem.name)
      }
      var contents = VaultContents(
        file: file, cipher: opening.cipher, keyItem: opening.keyItem, head: opening.head, tags: opening.tags,
        entitlements: opening.entitlements)
      if case .item(let saved) = keyItem { contents.isKeyItemBehind = saved != opening.keyItem }
      // First, or the file could get ahead of it by more than one.
      try contents.saveKeyItem(keys)
      if opening.needsCommit {
        try contents.commitRepair(removing: opening.removed, putting: opening.salvaged, at: clock.now.date, keys)
      }
      _ = try contents.see(clock.now.date, keys)
      self.contents = LockedValue(contents)
    } catch {
      try? file.database.close()
      throw error
    }
    for finding in findings { report(finding) }
  }

  /// Closes the file. It does not wait for a running change, whose later reads and writes fail.
  public func close() throws { try database.close() }

  /// Whether entitlements were lost, and are to be rebuilt from the receipt or by restoring.
  public var entitlementsNeedRebuilding: Bool { read { $0.head.entitlementsNeedRebuilding } }

  /// Why and since when the credits cannot be used; nil where they can.
  public var creditFreeze: CreditFreeze? { read { $0.head.books.freeze } }

  /// The later of the clock and the highest time ever seen. What is later by more than a minute is put on record.
  public func date() throws -> Date {
    try contents.withLock { contents in try contents.see(clock.now.date, keys) }
  }

  /// Starts the credits again, with a balance of zero: for an app that has no backup of frozen ones, and decides to go on. What
  /// is given up is ``CreditFreeze/lostBalance``: tell the customer before.
  ///
  /// - Throws: ``CreditError/notFrozen`` where they can be used.
  public func startCreditsAnew() throws {
    try update { draft in
      guard draft.books.freeze != nil else { throw CreditError.notFrozen }
      draft.emptyCredits()
      draft.books = draft.books.anew(lineage: draft.newLineage())
    }
  }

  func read<Value: Sendable, Failure: Error>(
    _ value: (VaultContents) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try contents.withLock { contents throws(Failure) in try value(contents) }
  }

  /// Makes a change: in one commit, and nothing where `change` throws or leaves all as it was.
  func update<Value: Sendable>(_ change: (inout VaultDraft) throws -> Value) throws -> Value {
    try contents.withLock { contents in
      // Before anything is looked up: what is answered as done must not be possible to roll back.
      try contents.saveKeyItem(keys)
      let (value, wanted) = try decide(contents, change)
      if let wanted { try contents.commit(wanted, at: clock.now.date, keys) }
      return value
    }
  }

  /// A function of its own, so that its copy of the contents is gone before they are changed.
  private func decide<Value>(
    _ contents: VaultContents, _ change: (inout VaultDraft) throws -> Value
  ) rethrows -> (Value, VaultChange?) {
    var draft = VaultDraft(contents, makeUUID: makeUUID)
    let value = try change(&draft)
    return (value, draft.isEmpty ? nil : draft.change)
  }
}
