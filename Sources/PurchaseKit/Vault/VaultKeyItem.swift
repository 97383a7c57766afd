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
    if head.books.freeze == nil { item.spent[item.lineage] = head.books.spent }
    return item
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
