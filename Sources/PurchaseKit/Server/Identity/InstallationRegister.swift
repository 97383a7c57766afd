import Foundation

/// Registers this installation at the server: once, and again when the server refuses its token. Never twice at the same
/// time.
actor InstallationRegister {
  private let keys: any VaultKeyStore
  private let server: String
  private let register: @Sendable () async throws -> StoredInstallation
  private var known: StoredInstallation?
  /// The installation as it is in the key store.
  private var saved: StoredInstallation?
  private var saving: Task<Void, any Error>?
  private var registering: Task<StoredInstallation, any Error>?

  /// - Parameter register: requests a new customer from the server.
  init(
    keys: any VaultKeyStore, server: String, register: @escaping @Sendable () async throws -> StoredInstallation
  ) {
    self.keys = keys
    self.server = server
    self.register = register
  }

  /// Returns the stored installation; nil if there is none.
  ///
  /// - Throws: ``PurchaseServerError/identityUnreadable(item:reason:)`` if the stored item cannot be read.
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

  /// Returns the installation, and registers it if needed.
  ///
  /// - Parameter refused: a token that the server has refused; nil for none.
  func installation(otherThan refused: String?) async throws -> StoredInstallation {
    if known == nil {
      let loaded = try await DiskThread.run { [keys, server] in try Self.load(keys, server: server) }
      // Another call may have loaded it meanwhile.
      if known == nil { (known, saved) = (loaded, loaded) }
    }
    if let registering { return try await registering.value }
    if let known, known.token != refused {
      // A new token must be stored before it is used. A changed customer need not be stored first: the server returns
      // it again.
      if known.token != saved?.token { try await save() }
      return known
    }
    let task = Task {
      known = try await register()
      try await save()
      return known!
    }
    registering = task
    defer { registering = nil }
    return try await task.value
  }

  /// Records that the server has joined this installation with the customer of an earlier installation.
  ///
  /// - Parameter token: the token of the request.
  func joined(_ customer: UUID, _ token: String) async throws {
    // Ignored if the installation was registered again meanwhile.
    guard known?.token == token else { return }
    known?.join(customer)
    try await save()
  }

  // MARK: Saving

  /// Saves the installation. Saves run one after the other, and each saves the latest state.
  private func save() async throws {
    while let known, known != saved {
      let task = saving ?? begin(known)
      try await task.value
    }
  }

  private func begin(_ installation: StoredInstallation) -> Task<Void, any Error> {
    let task = Task {
      defer { saving = nil }
      try await DiskThread.run { [keys, server] in
        let item = StoredInstallation.name(for: server)
        // The old token is kept under another name: it may have been refused by mistake.
        if let old = try Self.load(keys, server: server), old.token != installation.token { try keys.keepCopy(item) }
        try keys.save(JSONEncoder().encode(installation), as: item)
      }
      saved = installation
    }
    saving = task
    return task
  }
}
