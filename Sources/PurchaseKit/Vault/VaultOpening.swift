import Foundation
import StoreModel

/// Checks a vault's key item and file, and decides on repairs. A pure value; Documentation/vault.md has a table of the
/// rules.
struct VaultOpening {
  private(set) var keyItem: VaultKeyItem
  let cipher: VaultCipher
  private(set) var head: VaultHead
  private(set) var tags: [Data: VaultContents.Tag] = [:]
  private(set) var entitlements: [String: Entitlement] = [:]
  private(set) var findings: [VaultFinding] = []
  /// Whether `keyItem` must be saved before anything is committed.
  private(set) var isNewKeyItem = false
  /// Whether `head` must be committed. The rows in `removed` are then deleted, and those in `salvaged` are put into a new
  /// file.
  private(set) var needsCommit = false
  private(set) var removed: [Data] = []
  private(set) var salvaged: [(name: Data, box: Data)] = []

  /// - Parameters:
  ///   - unreadable: why SQLite cannot read the file; nil if it can. If the file is unreadable, `content` has the rows
  ///     that could be salvaged from it. They are not in the new file yet.
  ///   - hadTrace: whether the file or its lock existed. If the app was deleted, neither existed.
  init(
    keyItem found: VaultKeyItem.Found, content: VaultFile.Content, unreadable: String?, hadTrace: Bool = true,
    owner: VaultOwner, now: Date, makeUUID: () -> UUID
  ) {
    let problem = Self.problem(with: found, hadFile: content.head != nil || unreadable != nil, owner)
    if case .item(let item) = found, problem == nil {
      keyItem = item
    } else {
      keyItem = VaultKeyItem(owner: owner, makeUUID: makeUUID, loss: problem?.freezes)
      isNewKeyItem = true
    }
    var credits = VaultCredits(lineage: keyItem.lineage)
    credits.closedLineages = keyItem.closedLineages
    head = VaultHead(generation: keyItem.generation, highestTime: keyItem.highestTime, books: credits)
    findings = [problem, unreadable.map(VaultFinding.fileUnreadable)].compactMap(\.self)

    cipher = VaultCipher(keyItem, owner: owner)
    var damaged: [VaultCompartment: CreditFreeze.Reason] = [:]
    if let problem {
      damaged = Self.everything(problem.freezes)
    } else {
      verifyHead(content, isUnreadable: unreadable != nil, hadTrace: hadTrace, &damaged)
    }
    keep(content, &damaged)
    if damaged.isEmpty {
      keyItem.keepRecentSpends(of: head.books.lineage) { tags[cipher.name(of: .spend($0.key.uuidString))] != nil }
    }
    for (compartment, reason) in damaged { empty(compartment, reason, now) }
    needsCommit = needsCommit || !damaged.isEmpty || !removed.isEmpty || unreadable != nil
    removed = unreadable == nil ? removed : []
    salvaged = unreadable == nil ? [] : tags.keys.compactMap { name in content.boxes[name].map { (name, $0) } }
  }

  /// Returns what is wrong with the key item itself; nil if it is valid.
  private static func problem(
    with found: VaultKeyItem.Found, hadFile: Bool, _ owner: VaultOwner
  ) -> VaultFinding? {
    switch found {
    case .none: hadFile ? .keyMissing : nil
    case .unreadable: .keyUnreadable
    case .item(let item): item.owner == VaultKeyItem.digest(of: owner) ? nil : .copiedFromElsewhere
    }
  }

  private static func everything(_ reason: CreditFreeze.Reason?) -> [VaultCompartment: CreditFreeze.Reason] {
    guard let reason else { return [:] }
    return Dictionary(uniqueKeysWithValues: VaultCompartment.allCases.map { ($0, reason) })
  }

  private mutating func verifyHead(
    _ content: VaultFile.Content, isUnreadable: Bool, hadTrace: Bool,
    _ damaged: inout [VaultCompartment: CreditFreeze.Reason]
  ) {
    func recordLoss(_ finding: VaultFinding) {
      findings.append(finding)
      damaged = Self.everything(keyItem.generation == 0 ? keyItem.loss ?? finding.freezes : finding.freezes)
    }
    guard let box = content.head else {
      if isUnreadable {
        damaged = Self.everything(.fileUnreadable)
      } else if keyItem.generation > 0 {
        recordLoss(hadTrace ? .fileMissing : .reinstalled)
      } else {
        // The first head was never written. If the key item was made in place of a lost one, the reason for the loss
        // still applies.
        damaged = Self.everything(keyItem.loss)
        needsCommit = true
      }
      return
    }
    guard content.label == keyItem.vaultID.uuidString else { return recordLoss(.copiedFromElsewhere) }
    guard let opened = cipher.openHead(box) else { return recordLoss(.headDamaged) }
    guard opened.generation >= keyItem.generation else { return recordLoss(.rolledBack) }
    if opened.generation > keyItem.generation + 1 { findings.append(.keyRolledBack) }
    head = opened
    head.highestTime = max(opened.highestTime, keyItem.highestTime)
    head.books.closedLineages.formUnion(keyItem.closedLineages)
    keyItem = keyItem.following(head)
  }

  /// Determines which rows to keep, which rows to remove, and which compartments do not match the head.
  private mutating func keep(
    _ content: VaultFile.Content, _ damaged: inout [VaultCompartment: CreditFreeze.Reason]
  ) {
    var found: [VaultCompartment: RecordDigest] = [:]
    var grants: [CreditGrantEntry] = []
    for (name, box) in content.boxes {
      guard let record = cipher.open(box, as: name) else {
        removed.append(name)
        continue
      }
      let tag = VaultContents.Tag(bytes: cipher.tag(box, as: name), compartment: record.key.compartment)
      tags[name] = tag
      found[tag.compartment, default: RecordDigest()].add(tag.bytes)
      if case .entitlement(let entitlement) = record {
        entitlements[entitlement.originalTransactionIdentifier] = entitlement
      }
      if case .grant(let grant) = record { grants.append(grant) }
    }
    // If the head is not valid, there are no digests to compare with.
    guard damaged.isEmpty else { return }
    for compartment in VaultCompartment.allCases where found[compartment, default: RecordDigest()] != head[compartment]
    {
      damaged[compartment] = .recordsDamaged
      findings.append(.recordsDamaged(compartment))
    }
    // The process may have been killed before it saved the key item, or the item is of an earlier version.
    if damaged[.credits] == nil, head.books.freeze == nil { keyItem.remember(grants, replacing: true) }
    if damaged.isEmpty, !removed.isEmpty { findings.append(.foreignRecords(count: removed.count)) }
  }

  /// Empties a damaged compartment. Authentic revocations are kept, because they can only end an entitlement.
  private mutating func empty(_ compartment: VaultCompartment, _ reason: CreditFreeze.Reason, _ now: Date) {
    var kept: Set<Data> = []
    switch compartment {
    case .credits: head.books = head.books.frozen(reason, at: now, lostBalance: keyItem.balance)
    case .entitlements:
      head.entitlementsNeedRebuilding = true
      entitlements = entitlements.filter { $0.value.revocationDate != nil }
      let cipher = self.cipher
      kept = Set(entitlements.keys.map { cipher.name(of: .entitlement($0)) })
    }
    head[compartment] = RecordDigest()
    for (name, tag) in tags where tag.compartment == compartment {
      if kept.contains(name) {
        head[compartment].add(tag.bytes)
      } else {
        tags[name] = nil
        removed.append(name)
      }
    }
  }
}
