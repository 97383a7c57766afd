import Crypto
import Foundation
import StoreModel

/// The value in the key store for a vault: the key, and the values that must not be rolled back with the file.
struct VaultKeyItem: Hashable, Codable, Sendable {
  /// The name of the value in the key store.
  static let name = "purchase-vault"
  static let currentVersion = 1

  var version = Self.currentVersion
  /// 32 bytes.
  let key: Data
  let vaultID: UUID
  /// The digest of the vault's owner.
  let owner: Data
  var generation: Int64 = 0
  var highestTime = StoreDate(millisecondsSince1970: .min)
  var lineage: UUID
  /// The lineages whose credits were imported into another lineage.
  var closedLineages: Set<UUID> = []
  /// The credits that were ever spent, or are about to be, in each lineage of this vault.
  var spent: [UUID: Int] = [:]
  /// The balance after the newest change that was committed or is about to be. It can be shown if the file is lost. Nil
  /// before the first commit, and in items of an earlier version.
  var balance: Int?
  /// The newest spends of this vault, oldest first; nil in items of an earlier version. When an older
  /// backup is imported, the spends that it lacks are added to it.
  private(set) var recentSpends: [RecentSpend]?
  /// The newest grants of the vault's credits, by date; nil in items of an earlier version. They show the customer which
  /// purchases are lost if the file is.
  private(set) var recentGrants: [CreditGrantEntry]?
  /// The transactions whose credits this lineage has; nil in items of an earlier version.
  private var grantedTransactions: TransactionDigests?
  /// The transactions of earlier lineages; nil if there are none. Their credits were given up, so they are not granted
  /// again, even if an older payment journal delivers them.
  private var givenUpTransactions: TransactionDigests?
  /// The newest of ``givenUpTransactions`` in items of an earlier version.
  private var givenUpGrants: [String]?
  /// Why this item was made in place of a lost one; nil for a vault's first item.
  var loss: CreditFreeze.Reason?

  /// Makes the item of a new vault, with a key from the system's random generator.
  init(owner: VaultOwner, makeUUID: () -> UUID, loss: CreditFreeze.Reason?) {
    key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
    vaultID = makeUUID()
    self.owner = Self.digest(of: owner)
    lineage = makeUUID()
    self.loss = loss
  }

  static func digest(of owner: VaultOwner) -> Data { Data(SHA256.hash(data: owner.bytes)) }

  /// Returns the item with the values of the file's head.
  func following(_ head: VaultHead) -> VaultKeyItem {
    var item = self
    item.generation = head.generation
    item.highestTime = max(highestTime, head.highestTime)
    if item.lineage != head.books.lineage { item.giveUpGrants() }
    item.lineage = head.books.lineage
    item.closedLineages.formUnion(head.books.closedLineages)
    // While credits are frozen, the head's totals are zero. The amount spent in the frozen lineage is stored only in
    // this item.
    if head.books.freeze == nil {
      item.spent[item.lineage] = head.books.spent
      item.balance = try? head.books.balance()
    }
    return item
  }

  /// A spend and its lineage.
  struct RecentSpend: Hashable, Codable, Sendable {
    let lineage: UUID
    let entry: CreditSpendEntry
  }

  /// The number of spends to keep. An app repeats only spends whose result it did not receive. They are few and recent.
  private static let recentSpendLimit = 32

  /// Returns the newest spends of a lineage.
  func recentSpends(of lineage: UUID) -> [CreditSpendEntry] {
    (recentSpends ?? []).filter { $0.lineage == lineage }.map(\.entry)
  }

  /// Records spends, and the totals in `credits`, that are about to be committed.
  mutating func announce(_ spends: [CreditSpendEntry], in credits: VaultCredits) {
    spent[credits.lineage] = credits.spent
    balance = try? credits.balance()
    remember(spends, of: credits.lineage)
  }

  /// Adds spends as the newest ones of a lineage.
  mutating func remember(_ spends: [CreditSpendEntry], of lineage: UUID) {
    guard !spends.isEmpty else { return }
    let new = spends.map { RecentSpend(lineage: lineage, entry: $0) }
    recentSpends = Array(((recentSpends ?? []) + new).suffix(Self.recentSpendLimit))
  }

  /// The number of grants to keep.
  private static let recentGrantLimit = 32

  /// Adds grants to those that are kept, or replaces all.
  mutating func remember(_ grants: [CreditGrantEntry], replacing replacesAll: Bool) {
    guard replacesAll || !grants.isEmpty else { return }
    let all = ((replacesAll ? [] : recentGrants) ?? []) + grants
    recentGrants = Array(all.sorted(by: CreditGrantEntry.isEarlier).suffix(Self.recentGrantLimit))
    var granted = (replacesAll ? nil : grantedTransactions) ?? TransactionDigests()
    granted.insert(grants.sorted(by: CreditGrantEntry.isEarlier).map(\.transactionIdentifier))
    grantedTransactions = granted
  }

  /// Records that the grants of the lineage that ends are given up. Those that a backup brings back are in the file, too.
  private mutating func giveUpGrants() {
    var givenUp = givenUpTransactions ?? TransactionDigests()
    // In an item of an earlier version, only the newest grants are known.
    givenUp.insert((recentGrants ?? []).map(\.transactionIdentifier))
    givenUp.insert(grantedTransactions ?? TransactionDigests())
    givenUpTransactions = givenUp
  }

  /// Whether the credits of a transaction were granted and given up.
  func hasGivenUp(_ transactionIdentifier: String) -> Bool {
    givenUpTransactions?.contains(transactionIdentifier) ?? false
  }

  /// Removes spends of a lineage that were announced and not committed.
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
    guard var item = try? decoder.decode(VaultKeyItem.self, from: data), item.key.count == 32 else {
      return .unreadable
    }
    if let earlier = item.givenUpGrants {
      item.givenUpTransactions = item.givenUpTransactions ?? TransactionDigests()
      item.givenUpTransactions?.insert(earlier)
      item.givenUpGrants = nil
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
  /// Each part is preceded by its length, so that different owners have different bytes.
  var bytes: Data {
    [bundleID.rawValue, deviceIdentifier.description].reduce(into: Data()) { bytes, part in
      withUnsafeBytes(of: UInt32(part.utf8.count).bigEndian) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: part.utf8)
    }
  }
}
