import Crypto
import Foundation

/// Encrypts, names and tags a vault's records, with keys derived from the vault's key.
struct VaultCipher: Sendable {
  private let sealing: SymmetricKey
  private let naming: SymmetricKey
  private let tagging: SymmetricKey
  private let backup: SymmetricKey
  /// Identifies the vault and its owner. Data that was encrypted for one vault and owner cannot be decrypted with
  /// another vault or owner.
  private let context: Data

  init(_ item: VaultKeyItem, owner: VaultOwner) {
    let key = SymmetricKey(data: item.key)
    func derived(_ purpose: String) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: key, info: Data("PurchaseVault 1 \(purpose)".utf8), outputByteCount: 32)
    }
    (sealing, naming, tagging, backup) = (derived("seal"), derived("name"), derived("tag"), derived("backup"))
    context = withUnsafeBytes(of: item.vaultID.uuid) { Data($0) } + owner.bytes
  }

  // MARK: Records

  /// Returns the primary key of a record's row (column `name`): the HMAC-SHA256 of compartment and key, 32 bytes.
  func name(of key: VaultRecord.Key) -> Data {
    let text = key.compartment.rawValue + " " + key.text
    return Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: naming))
  }

  func seal(_ record: VaultRecord, as name: Data) throws -> Data {
    try seal(record, sealing, "record", name)
  }

  /// Decrypts a record; nil unless this vault encrypted it under this name.
  func open(_ box: Data, as name: Data) -> VaultRecord? {
    guard let record: VaultRecord = open(box, sealing, "record", name), self.name(of: record.key) == name else {
      return nil
    }
    return record
  }

  /// Returns 32 bytes that identify this version of a record.
  func tag(_ box: Data, as name: Data) -> Data {
    Data(HMAC<SHA256>.authenticationCode(for: name + box, using: tagging))
  }

  // MARK: Head and backup

  func seal(_ head: VaultHead) throws -> Data { try seal(head, sealing, "head", Data()) }

  func openHead(_ box: Data) -> VaultHead? { open(box, sealing, "head", Data()) }

  func seal(_ credits: CreditBackup) throws -> Data { try seal(credits, backup, "backup", Data()) }

  func openBackup(_ box: Data) -> CreditBackup? { open(box, backup, "backup", Data()) }

  private func seal(_ value: some Encodable, _ key: SymmetricKey, _ kind: String, _ name: Data) throws -> Data {
    let box = try AES.GCM.seal(
      try JSONEncoder().encode(value), using: key, authenticating: Data(kind.utf8) + context + name)
    // `combined` is nil only for nonces of another size than the one used here.
    return box.combined ?? Data()
  }

  private func open<Value: Decodable>(_ box: Data, _ key: SymmetricKey, _ kind: String, _ name: Data) -> Value? {
    guard let box = try? AES.GCM.SealedBox(combined: box),
      let plain = try? AES.GCM.open(box, using: key, authenticating: Data(kind.utf8) + context + name)
    else { return nil }
    return try? JSONDecoder().decode(Value.self, from: plain)
  }
}
