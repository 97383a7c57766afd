import GRDB
import StoreModel

/// The environment, app and customer of an installation.
struct InstallationScope: Equatable, Sendable {
  let environment: StoreEnvironment
  let bundleID: BundleID
  /// The customer who is signed in; nil if there is none.
  let account: AccountName?
}

/// A cache of the environment, app and customer of installations, so that calls need not look them up.
///
/// It observes the table of installations, and removes all entries when a change of the table is committed. Entries of
/// another epoch are not used, because a reset or a restored snapshot replaces the table without row changes that can
/// be observed.
final class InstallationDirectory: TransactionObserver, Sendable {
  private struct State: Sendable {
    var scopes: [InstallationID: InstallationScope] = [:]
    var epoch: StoreEpoch?
    /// The number of times that all scopes were removed. A scope that was read before the last removal is not cached.
    var generation = 0
    /// Whether the current database transaction changes an installation.
    var isChanging = false

    mutating func removeAll() {
      scopes = [:]
      generation += 1
    }
  }

  private let state = LockedValue(State())

  /// The maximum number of scopes, enough for the devices of tests. Above it, all scopes are removed.
  private static let largestNumber = 10_000

  /// The scope of an installation; nil if the store has no such installation. The database is read only if the scope is
  /// not cached.
  func scope(
    of installation: InstallationID, epoch: StoreEpoch, in database: StoreDatabase
  ) async throws -> InstallationScope? {
    let (found, generation) = scope(of: installation, epoch: epoch)
    if let found { return found }
    let scope = try await database.read { work in
      try work.installations.find(installation).map {
        InstallationScope(environment: $0.environment, bundleID: $0.bundleID, account: $0.account)
      }
    }
    if let scope { keep(scope, of: installation, generation: generation) }
    return scope
  }

  /// Returns the cached scope of `installation`, nil if there is none; and the generation to pass to
  /// ``keep(_:of:generation:)`` with a scope that is read afterwards.
  func scope(of installation: InstallationID, epoch: StoreEpoch) -> (found: InstallationScope?, generation: Int) {
    state.withLock { state in
      if state.epoch != epoch {
        state.removeAll()
        state.epoch = epoch
      }
      return (state.scopes[installation], state.generation)
    }
  }

  func keep(_ scope: InstallationScope, of installation: InstallationID, generation: Int) {
    state.withLock { state in
      guard state.generation == generation else { return }
      if state.scopes.count >= Self.largestNumber { state.scopes = [:] }
      state.scopes[installation] = scope
    }
  }

  func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { kind.tableName == Installation.databaseTableName }

  func databaseDidChange(with event: DatabaseEvent) {
    state.withLock { $0.isChanging = true }
    stopObservingDatabaseChangesUntilNextTransaction()
  }

  func databaseDidCommit(_ database: Database) {
    state.withLock { state in
      if state.isChanging { state.removeAll() }
      state.isChanging = false
    }
  }

  func databaseDidRollback(_ database: Database) { state.withLock { $0.isChanging = false } }
}
