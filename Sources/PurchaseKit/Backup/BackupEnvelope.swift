import Crypto
import Foundation
import StoreModel

/// The content of a backup, and its encrypted format.
///
/// The format, in order: `PKBACKUP`; a version byte; 16 bytes of salt; 8 bytes that show whether a backup key is the right
/// one; the content, encrypted with AES-GCM. The encryption key is derived from the backup key and the salt. The
/// encryption also authenticates all bytes before the content.
struct BackupEnvelope: Codable, Sendable {
  let bundleID: BundleID
  /// The app receipt, as the store signed it.
  let receipt: Data?
  /// The credits; nil if they were frozen when the backup was made.
  let credits: SealedCredits?

  struct SealedCredits: Codable, Sendable {
    /// The vault whose key encrypts the credits.
    let vaultID: UUID
    let box: Data
  }

  private static let mark = Data("PKBACKUP".utf8)
  private static let version: UInt8 = 1
  private static let headerLength = 33

  func sealed(under key: BackupKey) throws -> Data {
    let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) }
    let header = Self.mark + [Self.version] + salt + Self.check(key, salt)
    let box = try AES.GCM.seal(
      try JSONEncoder().encode(self), using: Self.derived("seal", key, salt, 32), authenticating: header)
    return header + (box.combined ?? Data())
  }

  init(_ data: Data, under key: BackupKey) throws(BackupError) {
    let data = Data(data)
    guard data.starts(with: Self.mark) else { throw .notABackup }
    guard data.count > Self.headerLength else { throw .damaged }
    guard data[8] == Self.version else {
      throw data[8] > Self.version ? .newerVersion(Int(data[8])) : .notABackup
    }
    let header = data.prefix(Self.headerLength)
    let salt = Data(header[9..<25])
    guard Self.check(key, salt) == header[25...] else { throw .wrongKey }
    guard let box = try? AES.GCM.SealedBox(combined: data.dropFirst(Self.headerLength)),
      let plain = try? AES.GCM.open(box, using: Self.derived("seal", key, salt, 32), authenticating: header),
      let envelope = try? BoundedJSON.decode(BackupEnvelope.self, from: plain, within: .file)
    else { throw .damaged }
    self = envelope
  }

  init(bundleID: BundleID, receipt: Data?, credits: SealedCredits?) {
    self.bundleID = bundleID
    self.receipt = receipt
    self.credits = credits
  }

  private static func check(_ key: BackupKey, _ salt: Data) -> Data {
    derived("check", key, salt, 8).withUnsafeBytes { Data($0) }
  }

  private static func derived(_ purpose: String, _ key: BackupKey, _ salt: Data, _ count: Int) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: key.bytes), salt: salt, info: Data("PurchaseVault backup 1 \(purpose)".utf8),
      outputByteCount: count)
  }
}
