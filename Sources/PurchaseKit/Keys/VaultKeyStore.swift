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
