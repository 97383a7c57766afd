import Foundation

/// Has this installation registered at the server, once, and again when its token is refused. Never twice at a time.
actor InstallationRegister {
  private let keys: any VaultKeyStore
  private let server: String
  private let register: @Sendable () async throws -> StoredInstallation
  private var known: StoredInstallation?
  private var registering: Task<StoredInstallation, any Error>?

  /// - Parameter register: asks the server for a new customer.
  init(
    keys: any VaultKeyStore, server: String, register: @escaping @Sendable () async throws -> StoredInstallation
  ) {
    self.keys = keys
    self.server = server
    self.register = register
  }

  /// What is on record already; nil where nothing is.
  ///
  /// - Throws: ``PurchaseServerError/identityUnreadable(item:reason:)`` where something is, or may be.
  nonisolated static func load(
    _ keys: any VaultKeyStore, server: String
  ) throws(PurchaseServerError) -> StoredInstallation? {
    let item = StoredInstallation.name(for: server)
    let data: Data?
    do {
      data = try keys.load(item)
    } catch {
      throw .identityUnreadable(item: item, reason: "\(error)")
    }
    guard let data else { return nil }
    guard let stored = try? JSONDecoder().decode(StoredInstallation.self, from: data), stored.server == server else {
      throw .identityUnreadable(item: item, reason: "it is not what was put there")
    }
    return stored
  }

  /// - Parameter refused: a token the server does not take any more.
  func installation(otherThan refused: String?) async throws -> StoredInstallation {
    if known == nil {
      let loaded = try await DiskThread.run { [keys, server] in try Self.load(keys, server: server) }
      // Somebody else may have been quicker.
      if known == nil { known = loaded }
    }
    if let registering { return try await registering.value }
    if let known, known.token != refused { return known }
    let task = Task { [register, keys, server] in
      let new = try await register()
      try await Self.save(new, keys, server)
      return new
    }
    registering = task
    defer { registering = nil }
    let new = try await task.value
    known = new
    return new
  }

  private static func save(_ new: StoredInstallation, _ keys: any VaultKeyStore, _ server: String) async throws {
    try await DiskThread.run { try keys.save(JSONEncoder().encode(new), as: StoredInstallation.name(for: server)) }
  }

  /// The server said that this installation is another customer's now: the one that an earlier installation made.
  func joined(_ customer: UUID) async throws {
    guard let old = known, old.customer != customer else { return }
    let new = StoredInstallation(server: old.server, customer: customer, token: old.token)
    try await Self.save(new, keys, server)
    // Unless it was registered anew meanwhile.
    if known == old { known = new }
  }
}
