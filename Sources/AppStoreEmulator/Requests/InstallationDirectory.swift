import Foundation
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
final class InstallationDirectory: TransactionObserver, @unchecked Sendable {
  private let lock = NSLock()
  private var scopes: [InstallationID: InstallationScope] = [:]
  private var epoch: StoreEpoch?
  /// How often everything was forgotten: what was read before is not kept.
  private var generation = 0
  /// Touched only by the writer.
  private var isChanged = false

  /// Enough for every test's devices; beyond it everything is looked up anew.
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
    lock.withLock {
      if self.epoch != epoch {
        forget()
        self.epoch = epoch
      }
      return (scopes[installation], generation)
    }
  }

  func keep(_ scope: InstallationScope, of installation: InstallationID, generation: Int) {
    lock.withLock {
      guard self.generation == generation else { return }
      if scopes.count >= Self.largestNumber { scopes = [:] }
      scopes[installation] = scope
    }
  }

  private func forget() {
    scopes = [:]
    generation += 1
  }

  func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { kind.tableName == Installation.databaseTableName }

  func databaseDidChange(with event: DatabaseEvent) {
    isChanged = true
    stopObservingDatabaseChangesUntilNextTransaction()
  }

  func databaseDidCommit(_ database: Database) {
    guard isChanged else { return }
    isChanged = false
    lock.withLock { forget() }
  }

  func databaseDidRollback(_ database: Database) { isChanged = false }
}
