import GRDB
import StoreModel

/// The environment, app and customer of an installation.
struct InstallationScope: Equatable, Sendable {
  let environment: StoreEnvironment
  let bundleID: BundleID
  /// Who is signed in.
  let account: AccountName?
}

/// What the store has looked up of installations, so that a call need not be looked up twice.
///
/// It watches the table: whoever changes an installation, by whatever way, finds it forgotten here once that is
/// committed. What was looked up in another epoch is not believed, because a reset or a restored backup exchanges the
/// table without a change that could be watched.
final class InstallationDirectory: TransactionObserver, Sendable {
  private struct State: Sendable {
    var scopes: [InstallationID: InstallationScope] = [:]
    var epoch: StoreEpoch?
    /// The number of times that all scopes were removed. A scope that was read before is not kept.
    var generation = 0
    /// Whether the database transaction under way changes an installation.
    var isChanging = false

    mutating func removeAll() {
      scopes = [:]
      generation += 1
    }
  }

  private let state = LockedValue(State())

  /// Enough for every test's devices. Above it, all scopes are removed.
  private static let largestNumber = 10_000

  /// The scope of an installation; nil if the store does not know it. It is looked up only after the installation has changed.
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

  /// The scope that is kept for `installation`, or else the generation with which to keep what is looked up.
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
