import Foundation
import StoreModel

/// Where a vault keeps its key, and the little that must not be rolled back with its file: the Keychain, or its like.
public protocol VaultKeyStore: Sendable {
  /// What was saved under a name; nil where nothing was. It is durable, also when whoever saved it was killed meanwhile.
  ///
  /// - Throws: the store cannot be asked now. That is not the same as there being nothing.
  func load(_ name: String) throws -> Data?

  /// Saves a value, in the place of an earlier one; durable when it returns.
  func save(_ value: Data, as name: String) throws

  /// Removes a value; durable when it returns. One that is not there is as good as removed.
  func remove(_ name: String) throws
}

/// Keys in memory, for tests and previews: they end with it.
public final class MemoryVaultKeyStore: VaultKeyStore {
  private let values = LockedValue<[String: Data]>([:])

  public init() {}

  public func load(_ name: String) -> Data? { values.withLock { $0[name] } }
  public func save(_ value: Data, as name: String) { values.withLock { $0[name] = value } }
  public func remove(_ name: String) { values.withLock { $0[name] = nil } }
}
