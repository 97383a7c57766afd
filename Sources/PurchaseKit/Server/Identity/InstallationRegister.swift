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

  /// What is on record already.
  nonisolated static func load(_ keys: any VaultKeyStore, server: String) throws -> StoredInstallation? {
    guard let data = try keys.load(StoredInstallation.name(for: server)),
      let stored = try? JSONDecoder().decode(StoredInstallation.self, from: data), stored.server == server
    else { return nil }
    return stored
  }

  /// - Parameter refused: a token the server does not take any more.
  func installation(otherThan refused: String?) async throws -> StoredInstallation {
    if let registering { return try await registering.value }
    if known == nil { known = try Self.load(keys, server: server) }
    if let known, known.token != refused { return known }
    let task = Task { [register, keys, server] in
      let new = try await register()
      try keys.save(JSONEncoder().encode(new), as: StoredInstallation.name(for: server))
      return new
    }
    registering = task
    defer { registering = nil }
    let new = try await task.value
    known = new
    return new
  }

  /// The server said that this installation is another customer's now: the one that an earlier installation made.
  func joined(_ customer: UUID) throws {
    guard let old = known, old.customer != customer else { return }
    let new = StoredInstallation(server: old.server, customer: customer, token: old.token)
    try keys.save(JSONEncoder().encode(new), as: StoredInstallation.name(for: server))
    known = new
  }
}
