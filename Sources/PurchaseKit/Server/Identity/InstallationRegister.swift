import Foundation

/// Has this installation registered at the server, once, and again when its token is refused. Never twice at a time.
actor InstallationRegister {
  private let keys: any VaultKeyStore
  private let server: String
  private let register: @Sendable () async throws -> StoredInstallation
  private var known: StoredInstallation?
  /// What is in the key store.
  private var saved: StoredInstallation?
  private var saving: Task<Void, any Error>?
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
      if known == nil { (known, saved) = (loaded, loaded) }
    }
    if let registering { return try await registering.value }
    if let known, known.token != refused {
      // Before a new token is used it is on record; that it speaks for another customer may be said again.
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

  /// The server said that this installation is another customer's now: the one that an earlier installation made.
  ///
  /// - Parameter token: as whom it was asked.
  func joined(_ customer: UUID, _ token: String) async throws {
    // Unless it was registered anew meanwhile.
    guard known?.token == token else { return }
    known?.join(customer)
    try await save()
  }

  // MARK: Saving

  /// Saves what is known, one save after the other, and only what is known when its turn comes.
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
        // A token that was refused by mistake is worth having.
        if let old = try Self.load(keys, server: server), old.token != installation.token { try keys.keepAside(item) }
        try keys.save(JSONEncoder().encode(installation), as: item)
      }
      saved = installation
    }
    saving = task
    return task
  }
}
