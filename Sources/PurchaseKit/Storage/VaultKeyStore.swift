import DurableSQLite
import Foundation
import StoreModel

/// Stores a vault's key, and the values that must not be rolled back with its file. The Keychain is an example.
public protocol VaultKeyStore: Sendable {
  /// Returns the value of a name; nil if there is none. The returned value is durable, even if the process that saved
  /// it was killed before ``save(_:as:)`` returned.
  ///
  /// - Throws: an error if the store cannot be read now. That does not mean that there is no value.
  func load(_ name: String) throws -> Data?

  /// Saves or replaces a value. The change is durable when this function returns.
  func save(_ value: Data, as name: String) throws

  /// Removes a value. The change is durable when this function returns. A missing value is not an error.
  func remove(_ name: String) throws
}

/// Stores keys in memory, for tests and previews.
public final class MemoryVaultKeyStore: VaultKeyStore {
  private let values = LockedValue<[String: Data]>([:])

  public init() {}

  public func load(_ name: String) -> Data? { values.withLock { $0[name] } }
  public func save(_ value: Data, as name: String) { values.withLock { $0[name] = value } }
  public func remove(_ name: String) { values.withLock { $0[name] = nil } }
}

extension VaultKeyStore {
  /// Copies a value before it is replaced, under its name with the suffix `.aside-1`, or with the next free number.
  func keepCopy(_ name: String) throws {
    guard let old = try load(name) else { return }
    var number = 1
    while try load("\(name).aside-\(number)") != nil { number += 1 }
    try save(old, as: "\(name).aside-\(number)")
  }
}

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

/// Thrown when a vault cannot be opened, read or changed.
public enum VaultError: DescribedError, Hashable, Sendable {
  /// The key store cannot be read or written. Nothing was changed.
  case keyStore(reason: String)
  /// The change is in the vault's file, but the key store could not be updated. The vault writes nothing more until the
  /// update succeeds. Repeating the change then has no further effect.
  case keyNotSaved(reason: String)
  /// The vault was written by a later version of this software. Nothing was changed.
  case newerVersion
  /// The file was changed by another program since it was opened.
  case changedWhileOpen

  public var description: String {
    switch self {
    case .keyStore(let reason):
      "The vault's key cannot be used: \(reason). Nothing was changed; try again."
    case .keyNotSaved(let reason):
      "The vault has recorded it, but its key could not be brought up to date: \(reason). Ask again."
    case .newerVersion:
      "The vault was written by a newer version of this software. Use that version."
    case .changedWhileOpen:
      "The vault's file was changed while it was open. Launch the app again: it is checked then."
    }
  }
}
