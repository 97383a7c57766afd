import DurableSQLite
import Foundation

/// Stores keys in files of mode 0600 in a folder of mode 0700, for systems without a Keychain.
///
/// It protects the keys from other users. The user who owns the files can read the key, and could forge a vault with it; see
/// Documentation/vault.md.
public struct FileVaultKeyStore: VaultKeyStore {
  private let directory: URL

  /// - Parameter directory: created when a value is first saved.
  public init(directory: URL) { self.directory = directory }

  public func load(_ name: String) throws -> Data? { try DurableFile.read(file(name)) }

  public func save(_ value: Data, as name: String) throws { try DurableFile.replace(file(name), with: value) }

  public func remove(_ name: String) throws { try DurableFile.remove(file(name)) }

  private func file(_ name: String) throws(VaultError) -> URL {
    let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_."))
    guard !name.isEmpty, name.first != ".", name.unicodeScalars.allSatisfy(allowed.contains) else {
      throw .keyStore(
        reason: "\(name) is no name for a key; use letters, digits, hyphens, and dots not at its beginning")
    }
    return directory.appending(path: name + ".key")
  }
}
