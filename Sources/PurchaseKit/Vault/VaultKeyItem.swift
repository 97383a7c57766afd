import Crypto
import Foundation
import StoreModel

/// What the key store holds for a vault: the key, and what must not be rolled back with the file.
struct VaultKeyItem: Hashable, Codable, Sendable {
  /// Its name in the key store.
  static let name = "purchase-vault"
  static let currentVersion = 1

  var version = Self.currentVersion
  /// 32 bytes.
  let key: Data
  let vaultID: UUID
  /// Digest of whom it is for.
  let owner: Data
  var generation: Int64 = 0
  var highestTime = StoreDate(millisecondsSince1970: .min)
  var lineage: UUID
  /// Lineages that went into another by import.
  var closedLineages: Set<UUID> = []
  /// What was ever spent, or is about to be, in each lineage of this vault.
  var spent: [UUID: Int] = [:]
  /// What could be spent at the last commit, so that it can be named when the file is gone; nil in an item of the version
  /// before.
  var balance: Int?
  /// The newest spends of this vault, oldest first; nil in an item of the version before. They are found again when a backup
  /// is imported that was made before them.
  private(set) var recentSpends: [RecentSpend]?
  /// Why there was nothing to go on from when it was made; nil for a vault's first.
  var loss: CreditFreeze.Reason?

  /// A new vault's, with a key of the system's generator.
  init(owner: VaultOwner, makeUUID: () -> UUID, loss: CreditFreeze.Reason?) {
    key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
    vaultID = makeUUID()
    self.owner = Self.digest(of: owner)
    lineage = makeUUID()
    self.loss = loss
  }

  static func digest(of owner: VaultOwner) -> Data { Data(SHA256.hash(data: owner.bytes)) }

  /// Brought up to what the file's head says.
  func following(_ head: VaultHead) -> VaultKeyItem {
    var item = self
    item.generation = head.generation
    item.highestTime = max(highestTime, head.highestTime)
    item.lineage = head.books.lineage
    item.closedLineages.formUnion(head.books.closedLineages)
    // Frozen books are empty: what was spent in their lineage is known here alone.
    if head.books.freeze == nil {
      item.spent[item.lineage] = head.books.spent
      item.balance = try? head.books.balance()
    }
    return item
  }

  /// A spend, and the lineage it was made in.
  struct RecentSpend: Hashable, Codable, Sendable {
    let lineage: UUID
    let entry: CreditSpendEntry
  }

  /// How many spends are kept. An app asks again for those whose answer it did not get: few, and of late.
  private static let recentSpendLimit = 32

  /// The newest spends of a lineage.
  func recentSpends(of lineage: UUID) -> [CreditSpendEntry] {
    (recentSpends ?? []).filter { $0.lineage == lineage }.map(\.entry)
  }

  /// Announces what will have been spent once `books` are committed.
  mutating func announce(_ spends: [CreditSpendEntry], in books: VaultCredits) {
    spent[books.lineage] = books.spent
    balance = try? books.balance()
    remember(spends, of: books.lineage)
  }

  /// Keeps spends as the newest ones of a lineage.
  mutating func remember(_ spends: [CreditSpendEntry], of lineage: UUID) {
    guard !spends.isEmpty else { return }
    let new = spends.map { RecentSpend(lineage: lineage, entry: $0) }
    recentSpends = Array(((recentSpends ?? []) + new).suffix(Self.recentSpendLimit))
  }

  /// Forgets spends of a lineage that were announced and not committed.
  mutating func keepRecentSpends(of lineage: UUID, where isCommitted: (CreditSpendEntry) -> Bool) {
    recentSpends?.removeAll { $0.lineage == lineage && !isCommitted($0.entry) }
  }

  enum Found {
    case none
    case unreadable
    case item(VaultKeyItem)
  }

  /// - Throws: ``VaultError/newerVersion``.
  static func read(_ data: Data?) throws(VaultError) -> Found {
    struct Version: Decodable { let version: Int }
    guard let data else { return .none }
    let decoder = JSONDecoder()
    if let version = try? decoder.decode(Version.self, from: data).version, version > currentVersion {
      throw .newerVersion
    }
    guard let item = try? decoder.decode(VaultKeyItem.self, from: data), item.key.count == 32 else {
      return .unreadable
    }
    return .item(item)
  }

  func written() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try encoder.encode(self)
  }
}

extension VaultOwner {
  /// Each part with its length before it, so that no two owners give the same.
  var bytes: Data {
    [bundleID.rawValue, deviceIdentifier.description].reduce(into: Data()) { bytes, part in
      withUnsafeBytes(of: UInt32(part.utf8.count).bigEndian) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: part.utf8)
    }
  }
}
